"""Names of months, weekdays, days and eras, as they stand in a folded text without accents."""

from __future__ import annotations

from typing import Final

from privasis.text.fold import bare

# One line a language, months in order, alternatives with "|".
_MONTHS: Final = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep|sept oct nov dec
januar|jänner februar|feber märz|maerz april mai juni juli august september oktober november dezember
jän febr mär|mrz - - - - - - okt - dez
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janv févr|fév - avr - - juil - - - - déc
enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre
ene - - abr - - - ago set - - dic
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen - - - mag giu lug - - ott - -
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
- fev - - - - - - - out - -
januari februari maart|mars april mei|maj juni juli augustus|augusti september oktober november december
- - mrt - - - - - - - - -
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
styczeń luty marzec kwiecień - czerwiec lipiec sierpień wrzesień październik listopad grudzień
ledna února března dubna května června července srpna září října listopadu prosince
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta - - -
- - - - - - - - - lokakuuta marraskuuta joulukuuta
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου - - - -
- - - - - - - - σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
يناير فبراير مارس أبريل|ابريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
- شباط آذار نيسان أيار حزيران تموز آب أيلول - - -
ינואר פברואר מרץ|מרס אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
जनवरी फरवरी|फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर|सितम्बर अक्टूबर|अक्तूबर नवंबर|नवम्बर दिसंबर|दिसम्बर
มกราคม|ม.ค. กุมภาพันธ์|ก.พ. มีนาคม|มี.ค. เมษายน|เม.ย. พฤษภาคม|พ.ค. มิถุนายน|มิ.ย. - - - - - -
- - - - - - กรกฎาคม|ก.ค. สิงหาคม|ส.ค. กันยายน|ก.ย. ตุลาคม|ต.ค. พฤศจิกายน|พ.ย. ธันวาคม|ธ.ค.
"""

_WEEKDAYS: Final = """
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
lunedì martedì mercoledì giovedì venerdì sabato domenica
segunda-feira terça-feira quarta-feira quinta-feira sexta-feira
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
poniedziałek wtorek środa czwartek piątek sobota niedziela
понедельник вторник среда четверг пятница суббота воскресенье
"""

_ORDINALS: Final = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third
twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first
"""


def _month_numbers() -> dict[str, int]:
    numbers: dict[str, int] = {}
    for line in _MONTHS.strip().splitlines():
        for number, names in enumerate(line.split(), start=1):
            numbers |= {bare(name): number for name in names.split("|") if name != "-"}
    return numbers


def _day_numbers() -> dict[str, int]:
    hyphened = {word: number for number, word in enumerate(_ORDINALS.split(), start=1)}
    return hyphened | {word.replace("-", " "): number for word, number in hyphened.items()}


MONTHS: Final = _month_numbers()
"""Folded name -> 1..12."""

WEEKDAYS: Final = tuple(map(bare, _WEEKDAYS.split()))
"""Folded names."""

ORDINALS: Final = _day_numbers()
"""English word -> day of a month."""

ERAS: Final = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "民國": 1911,
    "民国": 1911,
    "m": 1867,
    "t": 1911,
    "s": 1925,
    "h": 1988,
    "r": 2018,
}
"""Era -> the year before its first; the letters are those of Japanese forms."""

HAN_DIGITS: Final = {
    **{digit: number for number, digit in enumerate("〇一二三四五六七八九")},
    "零": 0,
    "元": 1,
}
