"""Find streets, rooms, home towns and organisations by their shape and the words beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.reading import Reading
from privasis.types import Span

_CAP: Final = r"[A-ZÀ-ÞĀ-Ž][\w'’.\-]{0,30}"
_STREETS: Final = (
    "Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square"
    "|Sq|Way|Row|Close|Crescent|Terrace|Gardens|Grove"
    "|Boulevard|Blvd|Parkway|Highway|Hill|Mews|Walk|Quay|Parade|Circle|Loop|Trail|Green|Yard"
)
_STREET: Final = re.compile(
    rf"(?<![\w.])\d{{1,5}}[A-Za-z]?(?:[-/]\d{{1,4}})?,?\s(?:{_CAP}\s){{1,4}}(?:{_STREETS})(?![\w])\.?(?:,?\s(?:Apt"
    rf"|Apartment|Flat|Unit|Suite|#)\.?\s?\w{{1,5}})?"
    rf"|(?<!\w)(?:{_CAP}[ \-]){{0,3}}[A-ZÄÖÜ]?[\w\-]{{1,30}}(?:stra(?:ß|ss)e"
    rf"|str\.|weg|platz|allee|gasse|ufer|damm|straat|laan|plein|gracht|kade"
    rf"|singel|dijk)\s\d{{1,4}}\s?[a-zA-Z]?(?!\w)"
    rf"|(?<![\w.])\d{{1,4}}(?:\s?(?:bis|ter))?,?\s(?:rue|avenue|boulevard|place"
    rf"|chemin|allée|impasse|quai|route|cours)\s(?:(?:de|du|des|la|le|les|d'"
    rf"|l')\s?|{_CAP}\s?){{1,6}}"
    rf"|(?<!\w)(?:[Cc]alle|[Aa]venida|Av\.|[Pp]laza|[Pp]aseo|[Cc]arrera|[Rr]ua"
    rf"|[Tt]ravessa|[Ll]argo|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|ul\.|[Uu]lica"
    rf"|al\.|pl\.|os\.)\s"
    rf"(?:(?:de|del|la|las|los|da|do|dos|das|di|della)\s|{_CAP}\s?){{1,6}},?\s?(?:n[.º°o]{{0,2}}\s?)?\d{{1,4}}\w?(?:/\d{{1,4}})?"
    rf"|(?<!\w)(?:{_CAP}\s){{1,3}}(?:Mah(?:allesi|\.)|Sok(?:ak|ağı|\.)|Cad(?:desi"
    rf"|\.)|Bulvarı)(?:,?\s(?:No:?\s?)?\d{{1,4}}(?:/\d{{1,4}})?)?"
    r"|[\u4e00-\u9fff]{2,12}(?:路|街|大道|巷|弄)\d{1,5}号(?:[\u4e00-\u9fff\d]{0,12}(?:室|楼|单元|号))?"
    r"|[\u4e00-\u9fff\u3040-\u30ff]{1,12}[区市町村郡][\u4e00-\u9fff\u3040-\u30ff]{1,10}\d{1,4}(?:丁目"
    r"|番地?|号|[-−ー]\d{1,4}){1,6}"
    r"|[가-힣]{1,12}(?:로|길)\s?\d{1,4}(?:-\d{1,4})?"
)
_ROOM: Final = re.compile(
    r"(?<!\w)(?:room|rm|ward|bed|flat|apt|apartment|suite|floor|zimmer|station"
    r"|chambre|habitacion|quarto|stanza|kamer|pokoj|oda)"
    r"\.?\s(?:no\.?\s?)?(?:\d{1,4}[a-z]?|[a-z]\d{0,3})(?!\w)|房[号间]\s?\d{1,5}"
)
_TOWN: Final = r"[A-ZÀ-ÞĀ-Ž][\w'’\-]{0,30}"  # no full stop: a sentence may end on it
_HOME: Final = re.compile(
    r"(?:lives? in|grew up in|raised in|living in|lived in|resident of|resides in|moved to|from"
    r"|born in|home ?town(?: is|:)?|city:|town:|based in|wohnt in|wohnhaft"
    r" in|aus|stammt aus"
    r"|habite (?:à|a)|vit (?:à|a)|vive (?:en|a|em)|reside (?:en|a|em)|abita"
    r" a|woont in|mieszka w|yaşıyor|住在|来自)\s"
    rf"(?P<city>{_TOWN}(?:(?:\s|-)(?:{_TOWN}|am|an|der|upon|de|la|on)){{0,3}})"
)
_AFTER_PERSON: Final = re.compile(rf",\s[A-ZÀ-Þ][\w'’\-]+\s(?:in|from|aus)\s(?P<city>{_TOWN})")
_BEFORE_POSTCODE: Final = re.compile(
    rf"(?P<city>{_TOWN}(?:\s{_TOWN})?),?\s(?:[A-Z]{{1,2}}\d[A-Z\d]?\s\d[A-Z]{{2}}|[A-Z]{{2}}\s\d{{5}})(?!\w)"
)
_AFTER_POSTCODE: Final = re.compile(
    rf"(?<![\d\-])(?:\d{{5}}|\d{{4}}\s?[A-Z]{{2}}|\d{{2}}-\d{{3}}|\d{{4}})\s(?P<city>{_TOWN}(?:\s(?:am"
    rf"|an der|{_TOWN})){{0,2}})"
)
_AFTER_STREET: Final = re.compile(rf",?\s(?P<city>{_TOWN}(?:\s{_TOWN})?)(?=[,.;\s]|$)")
_NO_CITY: Final = re.compile(
    r"(?:The|A|An|I|We|He|She|It|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday"
    r"|Sunday|January|February|March|April|May|June|July|August|September|October"
    r"|November|December)(?!\w)"
)

_HEAD: Final = (
    "Hospital|Hosp|Clinic|University|College|School|Academy|Institute|Bank"
    "|Church|Library|Museum|Hotel|Restaurant|Laboratory|Laboratories"
    "|Pharmacy|Council|Foundation|Trust|Association|Society|Agency|Journal"
    "|Review|Gazette|Times|Magazine|Press|Group|Holdings|Partners"
    "|Associates|Services|Solutions|Systems|Technologies|Industries|Logistics"
    "|Consulting|Ministries|Ministry|Department|Cooperative|Co-op"
    "|Ltd|Limited|Inc|LLC|LLP|PLC|plc|GmbH|AG|KG|SE|SA|SARL|SAS|SRL|S\\.r\\.l"
    "|B\\.V|N\\.V|BV|Oy|AB|A/S|Corp|Corporation|Company"
    "|Klinik|Klinikum|Krankenhaus|Universität|Schule|Gymnasium|Verein|Stiftung"
    "|Sparkasse|Praxis|Ziekenhuis|Szpital|Hastanesi|Üniversitesi|Okulu"
)
_ENDS_ON_HEAD: Final = re.compile(
    rf"(?<![\w])(?:{_CAP}[ \u00a0](?:&\s|of\s|and\s|for\s|the\s)?){{1,5}}(?:(?i:{_HEAD}))(?!\w)\.?"
    rf"(?:\sof\s(?:{_CAP}\s?){{1,4}})?(?:\s(?:Ltd"
    rf"|Inc|LLC|GmbH|plc|PLC))?\.?"
)
_BEGINS_WITH_HEAD: Final = re.compile(
    rf"(?<!\w)(?:University|Bank|Institute|Ministry|Department|Church|School"
    rf"|College|Universidad|Universidade|Université|Università|Hôpital|Hospital"
    rf"|Ospedale|Colegio"
    rf"|Escola|École|Banco|Banque|Banca|Clínica|Clinique|Clinica|Uniwersytet"
    rf"|Szkoła|Klinik(?:um)?|Universität|Empresa|Farmacia)\s(?:(?:of|de|del"
    rf"|la|da|do|di|d'|der|für|the)\s?){{0,2}}{_CAP}(?:\s{_CAP}){{0,3}}"
)
_CJK_ORG: Final = re.compile(
    r"[\u4e00-\u9fff\u30a0-\u30ff]{2,16}(?:公司|集团|医院|学校"
    r"|大学|银行|株式会社|病院|研究所|事務所)|株式会社[\u4e00-\u9fff\u30a0-\u30ff]{1,12}"
    r"|[가-힣]{2,12}(?:병원|대학교|학교|회사|은행)|㈜[가-힣]{2,10}"
)


def find_streets(reading: Reading) -> Iterator[Span]:
    """Find a street with its number, as some fifteen countries write it."""
    for found in _STREET.finditer(reading.folded.original):
        yield Span(found.start(), found.start() + len(found[0].rstrip(" .,")))


def find_rooms(reading: Reading) -> Iterator[Span]:
    """Find rooms, wards, beds and flats with their number."""
    for found in _ROOM.finditer(reading.bare.text):
        yield reading.bare.span(found.start(), found.end())


def find_cities(reading: Reading) -> Iterator[Span]:
    """Find towns by what stands beside them: "lives in", a postcode, a street."""
    text = reading.folded.original
    for pattern in (_HOME, _AFTER_PERSON, _BEFORE_POSTCODE, _AFTER_POSTCODE):
        for found in pattern.finditer(text):
            if not _NO_CITY.match(found["city"]):
                yield Span(found.start("city"), found.start("city") + len(found["city"].rstrip(".,'’")))
    for street in find_streets(reading):
        behind = _AFTER_STREET.match(text, street.end)
        if behind:
            yield Span(behind.start("city"), behind.start("city") + len(behind["city"].rstrip(".,")))


def find_organizations(reading: Reading) -> Iterator[Span]:
    """Find organisations by the word that says what they are: Hospital, Ltd, University of ..."""
    text = reading.folded.original
    for pattern in (_ENDS_ON_HEAD, _BEGINS_WITH_HEAD, _CJK_ORG):
        for found in pattern.finditer(text):
            lead = re.match(r"(?:(?:The|At|In|From|Dear|And|With|By|For)\s)+", found[0])
            start = found.start() + (lead.end() if lead else 0)
            yield Span(start, found.start() + len(found[0].rstrip(" ,")))
