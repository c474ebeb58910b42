"""What stands around names, and words that are names and something else, all folded and without accents."""

from __future__ import annotations

from typing import Final

from privasis.text.fold import bare


def _words(table: str) -> frozenset[str]:
    return frozenset(map(bare, table.split()))


_TITLES: Final = """
mr mrs ms miss mx mister missus master madam dr doctor prof professor sir dame lord lady rev reverend father
fr sister brother pastor rabbi imam judge justice hon capt captain col colonel gen general lt lieutenant maj
major sgt sergeant officer detective nurse aunt uncle auntie grandma grandpa coach chef president senator
herr herrn frau fraulein m mme mlle monsieur madame mademoiselle maitre sr sra srta senor senora senorita don
dona sig signor signora signorina dott dottoressa dhr mevr meneer mevrouw pan pani г-н г-жа господин госпожа
السيد السيدة الدكتور د أ الأستاذ מר גברת גב ד"ר פרופ श्री श्रीमती कुमारी คุณ นาย นาง นางสาว
"""
TITLES: Final = _words(_TITLES)

SUFFIXES: Final = _words("jr sr ii iii iv phd md mba esq rn cpa dds jd bsc msc ba ma llb dphil obe mbe qc kc")

_PARTICLES: Final = """
van von der den de del della di da das do dos du la le les el al bin ibn bint ben ter ten te zu zur zum y e i
af av st saint mac mc o d l abu abd ap
"""
PARTICLES: Final = _words(_PARTICLES)

# English words that are also given names or surnames: as a name they count only with a capital.
_COMMON: Final = """
abbey amber angel apple april archer art ash aspen august autumn bailey baker ball banks barber baron bean
bear bell berry best bill bird bishop black blossom blue bob bond book booth bright brook brooks brown buck
bud bush butler candy car carpenter carter case cash chance chapman charity chase child christian church
clay clear cliff close coal comfort constance cook cooper coral corn cotton cross crystal daisy dale dawn
day days dean dear dell diamond dolly don dove drake drew duke earl east ebony eden elder english eve faith
farmer fern field fields finch fisher flint flora flowers ford forest fox frank free freeman french frost
gale gamble gay gene gentle german ginger glass glen glory gold good grace grant gray green grey grove guy
hall hand hands harmony harp hart hawk hazel head heath heather heaven hill hold holiday holland holly home
honey hope horn house hunt hunter ice ireland iris ivory ivy jack jade jasmine jay jet jewel joy judge june
just justice key kid king knight lake lamb land lane lark laurel law lawn light lily little long lord love
low loyal lucky mace major marble march mark marsh marshall mason may mayor means melody mercy miles mill
miller mills mint misty money moody moon moss myrtle noble north oak ocean olive opal page palm park parker
parks pat patience peace peach pearl penny pepper pike piper plant poppy porter potter power precious price
prince prudence queen rain ray read red reed rice rich ridge river rivers rob robin rock rocky root rose
ruby rush rusty sage salt sand sandy self serenity sharp shepherd short silver singer skip sky small snow
song spring star stone storm story street strong sue summer summers sunny swan sweet swift tanner temple
thorn tiger tree trinity tucker turner violet walker wall wallace ward warden waters way weaver weeks wells
welsh west white wild will wills wing winter winters wise wolf wood woods wren young
"""
COMMON_WORDS: Final = _words(_COMMON)

# Those of them that often open a sentence, where a capital shows nothing.
_OPENERS: Final = """
hunt april art august autumn bear best bill black blue book booth bright brown bud bush candy case cash chance
charity chase christian church clay clear cliff close comfort cook cooper cross dawn day days dean dear duke
earl east english eve faith farmer field fields fisher flowers ford forest free freeman french frost gentle
german glass glory gold good grace grant gray green grey guy hall hand hands harmony head heaven hill hold
holiday home honey hope house ice judge june just justice key kid king knight lake land law light little
long lord love low lucky major march mark may mayor means mercy miles mill mills money moody moon noble
north ocean page park parks pat patience peace penny power precious price prince queen rain read red rice
rich ridge river rivers rob rock rocky root rush salt sand self serenity sharp short silver singer skip sky
small snow song star stone storm story street strong sue summer summers sunny sweet swift temple tree
trinity turner violet wall ward warden waters way weeks wells west white wild will wills wing winter winters
wise wood woods young
"""
OPENERS: Final = _words(_OPENERS)

# Words that have a capital anywhere.
_CAPITALISED: Final = """
april may june august march sunday monday friday english french german welsh holland ireland paris florence
sydney victoria georgia virginia carolina dakota jordan chad israel china india austin dallas
"""
CAPITALISED_WORDS: Final = _words(_CAPITALISED)

_NICKNAMES: Final = """
alexand: alex al sandy sasha lex xander
andre: andy drew
anthon: tony
barbara: barb babs
benjamin: ben benny
cather kather: kate katie kathy cathy kat kitty
charl: charlie chuck
christ: chris tina kris christy
daniel: dan danny
david: dave davy
deborah: deb debbie
dorothy: dot dottie dolly
edward: ed eddie ted ned
elisab elizab: liz lizzie lizzy beth betty bess eliza lisa libby betsy elsie
emil: em emmy milly
frances francis: fran frank frankie
frederic: fred freddy
gabriel: gabe gabby
gregor: greg
henr: harry hank
isabel: bella izzy belle
jacob: jake
jame: jim jimmy jamie
jennifer: jen jenny
jessica: jess jessie
john: jack johnny
jonathan: jon jonny
joseph: joe joey
joshua: josh
kenneth: ken kenny
lawrence laurence: larry
leonard: leo len lenny
margaret: maggie meg peggy marge rita greta
matthew: matt
michael: mike mick mickey
nathan: nate
nichol nicol: nick nicky
pamela: pam
patric: pat patty paddy trish
peter: pete
philip phillip: phil
rebecca: becky becca
richard: rick ricky dick rich
robert: bob bobby rob robbie bert
ronald: ron ronnie
samuel samant: sam sammy
stephen steven: steve
susan: sue susie
theodor: ted theo teddy
theres: terry tess
thomas: tom tommy
timoth: tim
victor: vic vicky
vincent: vince
walter: walt
william: will bill billy willy liam
zachar: zach zack
"""


def _nickname_table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in _NICKNAMES.strip().splitlines():
        stems, _, names = line.partition(":")
        table |= dict.fromkeys(stems.split(), tuple(names.split()))
    return table


NICKNAMES: Final = _nickname_table()
"""Beginning of a given name -> English short forms."""

HONORIFICS: Final = "先生|女士|小姐|太太|医生|醫生|老师|老師|さん|様|さま|氏|君|くん|ちゃん|씨|님|선생님"
"""What stands behind an East Asian family name, as alternatives of a regular expression."""

_COMPOUND: Final = "欧阳 歐陽 司马 司馬 诸葛 諸葛 上官 皇甫 令狐 东方 夏侯 司徒 慕容 尉迟"
COMPOUND_FAMILIES: Final = frozenset(_COMPOUND.split())

DOTTED_ABBREVIATIONS: Final = _words(
    "us uk un eu pm am ps ad bc po dc nb id la ny tv ie eg md ba ma jr sr st co vs cv hr it pr qa rx ok ac"
)
"""Pairs of letters that stand for something else than a person's initials."""

_EXTENSIONS: Final = """
pdf doc docx txt csv tsv xls xlsx ppt pptx jpg jpeg png gif heic tif tiff zip tar gz json xml html htm md log
eml ics vcf py js ts mp3 mp4 mov wav rtf odt ods yaml yml toml sql db bak tmp dat ini cfg sh exe
"""
EXTENSIONS: Final = frozenset(_EXTENSIONS.split())
"""Of file names, without the dot."""
