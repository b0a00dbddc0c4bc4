"""What a split's conversations are made of: its share of the written words, and made up ones."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from random import Random
from typing import Final, TypeVar

from workbench.training.synth import words as vocabulary

Choice = TypeVar("Choice")


class Dice:
    """Draws that depend on nothing but the words they are begun with."""

    def __init__(self, *words: object) -> None:
        self._random = Random("/".join(map(str, words)))

    def chance(self, share: float) -> bool:
        """True in `share` of all draws."""
        return self._random.random() < share

    def pick(self, items: Sequence[Choice]) -> Choice:
        """One of them."""
        return items[int(self._random.random() * len(items))]

    def weighted(self, shares: Sequence[tuple[Choice, float]]) -> Choice:
        """One of them, each as often as its share of the sum says."""
        place = self._random.random() * sum(share for _, share in shares)
        for item, share in shares:
            place -= share
            if place < 0:
                return item
        return shares[-1][0]

    def some(self, items: Sequence[Choice], count: int) -> list[Choice]:
        """`count` different ones in any order; all of them where there are fewer."""
        return self._random.sample(list(items), min(count, len(items)))

    def between(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        return least + int(self._random.random() * (most - least + 1))


PLACES: Final = tuple(
    "Lisbon,Oslo,Nairobi,Lima,Kyoto,Quito,Bergen,Austin,Perth,Dakar,Hanoi,Krakow,Malmö,Denver,Cork,Osaka,Bogotá,Tbilisi,"
    "Zürich,Leeds,Tampa,Accra,Split,Porto,Sofia,Riga,Pune,Cusco,Bath,Salem,Gdansk,Adelaide,Boston,Kigali,Minsk,Turin,"
    "Vienna,Tunis,Nantes,Basel,Bilbao,Seoul,Manila,Havana,Dublin,Geneva,Marseille,Auckland,Calgary,Phoenix,Rabat,Tartu,"
    "Galway,Utrecht,Ghent,Dresden,Bari,Tallinn,New York,San Juan,Cape Town,Buenos Aires,St. Gallen,Hong Kong,Rio Branco,"
    "Fort Collins,Novi Sad,Le Havre,Santa Fe,Ulan Bator,Lagos,Jaipur,Medellín,Reykjavik,Windhoek,Chengdu,Busan,Muscat,"
    "Valletta,Thessaloniki,Aarhus,Bristol,Ottawa,Honolulu,Tirana,Kazan,Fukuoka,Recife,Maputo,Graz".split(",")
)
PEOPLE: Final = tuple(
    "Ana,Ben,Chidi,Dora,Emil,Farah,Goran,Hana,Ivo,Jun,Kofi,Lena,Mira,Nils,Olga,Pavel,Quentin,Rosa,Sami,Tara,Uma,Vera,"
    "Wen,Xenia,Yusuf,Zoe,Amara,Boris,Clara,Dimitri,Elif,Felix,Greta,Hugo,Inga,Jonas,Katya,Luca,Maya,Noor,Oscar,Priya,"
    "Rafael,Selma,Tomas,Viktor,Wanda,Yara,Marek,Aiko,Bruno,Carmen,Deniz,Esther,Fatima,Gustav,Helena,Idris,Julia,Karim,"
    "Leila,Mateo,Nadia,Omar,Petra,Ravi,Sofie,Theo,Ursula,Valentin".split(",")
)
FAMILIES: Final = tuple(
    "Silva,Okafor,Novak,Tanaka,Berg,Haddad,Costa,Lindgren,Mbeki,Petrov,Quist,Romano,Schmidt,Tran,Ueda,Varga,Weiss,Young,"
    "Zeller,Abebe,Brandt,Castillo,Duarte,Eriksen,Fontaine,Garcia,Horvat,Ivanova,Jansen,Kowalski,Lopez,Murphy,O'Brien,"
    "Park,Rossi".split(",")
)
THINGS: Final = tuple(
    "lamp,bicycle,notebook,kettle,guitar,carpet,ladder,tent,camera,pillow,hammer,blanket,basket,mirror,bottle,candle,"
    "umbrella,backpack,teapot,shovel,desk,chair,printer,keyboard,headphones,router,helmet,jacket,scarf,boots,mug,clock,"
    "vase,toaster,fan,heater,drill,saw,bucket,rope,kayak,skateboard,telescope,microscope,globe,map,puzzle,kite,drum,violin,"
    "flute,apples,pears,plums,carrots,onions,rice,flour,butter,cheese,honey,olives,almonds,walnuts,beans,lentils,oats,tea,"
    "coffee,paper clips,light bulbs,batteries,envelopes,tennis balls,garden hose,storage box,wall paint,door handle,"
    "coat rack,soup bowl".split(",")
)
TOPICS: Final = tuple(
    "solar power,bird migration,jazz history,medieval castles,deep sea fish,urban gardening,sleep research,coral reefs,"
    "train travel,home brewing,ancient Rome,chess openings,volcanoes,bread baking,glaciers,night photography,beekeeping,"
    "wind energy,street art,wood carving,desert plants,long distance running,water treatment,paper making,folk music,"
    "electric buses,tree pruning,sign language,mountain rescue,tide pools,the moon landing,antique clocks,rainwater,"
    "data privacy,noise pollution,wild mushrooms,old bridges,ferry routes,sheep farming,ceramic glazes".split(
        ","
    )
)
QUALITIES: Final = tuple(
    "red,blue,green,small,large,old,new,quiet,bright,heavy,light,broken,spare,wooden,cheap,round,striped,plain,soft,tall,"
    "narrow,clean,warm,early,late,wet,dry,sharp,smooth,hidden".split(",")
)
STATES: Final = tuple(
    "ready,late,finished,missing,on its way,out of stock,in the hall,under repair,at the office,sold,packed,delayed,"
    "much better now,still open,too loud,behind the door,full,empty,almost done,back again,safe,not working,fixed,here".split(
        ","
    )
)
DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = tuple(
    "January,February,March,April,May,June,July,August,September,October,November,December".split(",")
)
FILES: Final = tuple(
    "report,notes,budget,draft,invoice,photo,slides,summary,backup,readme,plan,minutes,letter,recipe,manual,sketch,log,"
    "contract,survey,results".split(",")
)
ENDINGS: Final = tuple("txt,pdf,csv,md,png,docx,json,xlsx,log,html".split(","))
FOLDERS: Final = tuple(
    "home,srv,data,projects,archive,docs,shared,work,tmp,exports,2025,team,media,old,inbox".split(",")
)
READ_NOUNS: Final = tuple(
    "forecast,tide,exchange rate,bus schedule,stock level,opening hours,air quality,river level,parking space,pollen count,"
    "train delay,flight status,movie listing,menu,recipe,road condition,snow depth,fuel price,sunset time,word definition,"
    "translation,phone number,office address,employee,customer record,order status,invoice status,package location,"
    "bank balance,meeting notes,calendar entry,project status,bug report,error log,server load,disk usage,sensor reading,"
    "water temperature,power usage,noise level,traffic report,library book,museum ticket price,song lyrics,album,artist,"
    "news article,match result,league table,player,patient file,lab result,medicine stock,vaccination date,course,grade,"
    "timetable,teacher,classroom,warehouse shelf,delivery slot,supplier,product review,price history,coupon,gift card balance,"
    "loyalty points,hotel room,room rate,ferry,campsite,trail,ski lift,beach report,wind speed,earthquake,moon phase,star chart,"
    "bird sighting,plant profile,soil moisture,crop yield,zip code,holiday,time zone,currency".split(",")
)
ACT_NOUNS: Final = tuple(
    "reminder,alarm,timer,note,invoice,booking,ticket,appointment,meeting,task,shopping list,message,letter,email draft,"
    "playlist,order,refund,delivery,pickup,reservation,rental,subscription,account,profile,password reset,backup,report,"
    "export,upload,folder,document,label,tag,comment,review,poll,survey,event,invitation,contact,group,channel,post,banner,"
    "coupon code,price tag,shelf label,thermostat,heating plan,light scene,blind,garage door,sprinkler,vacuum run,coffee brew,"
    "oven program,washing cycle,charging plan,route,taxi ride,seat,upgrade,claim,repair job,inspection,work shift,"
    "leave request,expense,payment,transfer,standing order,donation,signature,contract draft,print job,scan,"
    "translation job,deployment,release,branch,issue,alert rule".split(",")
)
SUM_NOUNS: Final = tuple(
    "tip,mortgage payment,loan interest,tax,discount,shipping cost,travel time,distance,fuel need,area,volume,perimeter,"
    "average,median,total,difference,ratio,percentage,body mass index,calorie need,paint amount,tile count,heating cost,"
    "exchange amount,profit margin,break-even point,pay raise,age,number of days,compound interest,unit price,speed,"
    "density,pressure,voltage drop,energy use,carbon footprint,water need,seed amount,concrete mix,slope,angle".split(
        ","
    )
)
READ_VERBS: Final = tuple(
    "get,fetch,look up,find,read,check,show,retrieve,query,view,search,inspect".split(",")
)
ACT_VERBS: Final = tuple(
    "create,send,book,schedule,update,set,cancel,open,start,delete,register,submit,request,log,"
    "prepare,publish,store,order,move,mark".split(",")
)
SUM_VERBS: Final = tuple(
    "calculate,compute,estimate,work out,determine,measure,evaluate,derive,assess,combine".split(",")
)
UNITS: Final = tuple(
    "km,kg,litres,minutes,hours,degrees,percent,euros,dollars,points,metres,watts,grams,pages,units,items,days,knots,"
    "pascals,decibels".split(",")
)
CHOICES: Final = (
    (("low", "low"), ("mid", "medium"), ("high", "high")),
    (("asc", "ascending"), ("desc", "descending")),
    (("min", "minimum"), ("max", "maximum"), ("avg", "average")),
    (("sub", "subtract"), ("div", "divide"), ("pow", "power")),
    (("pdf", "PDF"), ("csv", "CSV"), ("html", "HTML")),
    (("daily", "daily"), ("weekly", "weekly"), ("monthly", "monthly"), ("yearly", "yearly")),
    (("celsius", "Celsius"), ("fahrenheit", "Fahrenheit"), ("kelvin", "Kelvin")),
    (("s", "small"), ("m", "medium"), ("l", "large")),
    (("economy", "economy"), ("business", "business"), ("first", "first class")),
    (("draft", "draft"), ("final", "final")),
    (("km", "kilometres"), ("mi", "miles")),
    (("en", "English"), ("fr", "French"), ("de", "German"), ("es", "Spanish")),
    (("red", "red"), ("green", "green"), ("blue", "blue"), ("yellow", "yellow")),
    (("car", "car"), ("bike", "bike"), ("train", "train"), ("foot", "on foot")),
    (("brief", "brief"), ("normal", "normal"), ("detailed", "detailed")),
    (("open", "open"), ("closed", "closed"), ("pending", "pending")),
    (("north", "north"), ("south", "south"), ("east", "east"), ("west", "west")),
    (("slow", "slow"), ("fast", "fast")),
    (("usd", "US dollars"), ("eur", "euros"), ("gbp", "pounds")),
    (("hot", "hot"), ("cold", "cold"), ("lukewarm", "lukewarm")),
    (("public", "public"), ("private", "private")),
    (("urgent", "urgent"), ("routine", "routine"), ("whenever", "whenever")),
    (("linear", "linear"), ("cubic", "cubic"), ("nearest", "nearest")),
    (("left", "left"), ("right", "right"), ("center", "centre")),
    (("vegan", "vegan"), ("vegetarian", "vegetarian"), ("fish", "fish")),
)
"""Enums: each word as a tool wants it, and as a person may say it."""


Item = TypeVar("Item")
TEST_EVERY: Final = 5
"""One of so many belongs to the test."""
RESERVED: Final = frozenset(
    {"flumbuster", "zorbix", "flumb", "uster", "zorb", "bix", "metric", "imperial", "add", "mul"}
)
"""Words of the shipped suite `nonsense`: they occur in neither split, so that the suite stays unseen."""


class WordSplit(StrEnum):
    """Which of the two."""

    TRAIN = "train"
    TEST = "test"


def share_of(items: Sequence[Item], split: WordSplit) -> tuple[Item, ...]:
    """The items of a written list that belong to `split`: by their place in it.

    >>> share_of("abcdef", Split.TEST)
    ('e',)
    """
    is_test = split is WordSplit.TEST
    return tuple(
        item for place, item in enumerate(items) if (place % TEST_EVERY == TEST_EVERY - 1) is is_test
    )


def belongs(word: str, split: WordSplit) -> bool:
    """Whether a made up word belongs to `split`: by its hash."""
    if word.lower() in RESERVED:
        return False
    digest = blake2b(word.lower().encode(), digest_size=4).digest()
    return (int.from_bytes(digest, "big") % TEST_EVERY == 0) is (split is WordSplit.TEST)


_ONSETS: Final = tuple(
    "b,bl,br,c,ch,cl,cr,d,dr,f,fl,fr,g,gl,gr,h,j,k,kl,kr,l,m,n,p,pl,pr,qu,r,s,sk,sl,sm,sn,sp,st,str,t,th,tr,v,w,z,zw".split(
        ","
    )
)
_CORES: Final = tuple("a,e,i,o,u,oo,ee,ai,ou,y".split(","))
_CODAS: Final = tuple(
    ",,,b,ck,d,ff,g,l,ll,m,mp,n,nd,nk,p,r,rb,rn,s,sh,st,t,x,zz,ble,bus,ster,bit,nix,dle".split(",")
)


@dataclass(frozen=True)
class WordList:
    """The words of one split."""

    split: WordSplit

    def of(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """The split's share of a written list."""
        return share_of(items, self.split)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Towns."""
        return self.of(vocabulary.PLACES)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """First names."""
        return self.of(vocabulary.PEOPLE)

    @cached_property
    def things(self) -> tuple[str, ...]:
        """What one can buy, lend or lose."""
        return self.of(vocabulary.THINGS)

    @cached_property
    def choices(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Enums: each word as a tool wants it, and as a person may say it."""
        return share_of(vocabulary.CHOICES, self.split)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """What one can read about."""
        return self.of(vocabulary.TOPICS)

    def made_up(self, dice: Dice) -> str:
        """A word that does not exist, of one to three syllables."""
        while True:
            count = dice.weighted(((1, 2.0), (2, 5.0), (3, 2.0)))
            word = "".join(dice.pick(_ONSETS) + dice.pick(_CORES) for _ in range(count)) + dice.pick(_CODAS)
            if 4 <= len(word) <= 12 and belongs(word, self.split):
                return word

    def person(self, dice: Dice) -> str:
        """A first name, often with a family name."""
        first = dice.pick(self.people)
        return f"{first} {dice.pick(self.of(vocabulary.FAMILIES))}" if dice.chance(0.4) else first

    def sentence(self, dice: Dice) -> str:
        """A short sentence, such as one writes to a colleague."""
        thing = f"{dice.pick(self.of(vocabulary.QUALITIES))} {dice.pick(self.things)}"
        state, day = dice.pick(self.of(vocabulary.STATES)), dice.pick(vocabulary.DAYS)
        forms = self.of(
            (
                f"The {thing} is {state}.",
                f"I will be {dice.between(5, 55)} minutes late",
                f"Please bring the {thing} on {day}",
                f"{dice.pick(self.people)} has the {thing}, it is {state}",
                f"Don't forget the {thing}!",
                f"Can we talk about {dice.pick(self.topics)} on {day}?",
                f"we need {dice.between(2, 40)} more {dice.pick(self.things)}",
                f"{day} works for me, see you at {dice.between(1, 12)}",
                f"It's {state}: the {thing}",
                f"Meet {dice.pick(self.people)} in {dice.pick(self.places)}",
                f"{dice.pick(self.topics)} and {dice.pick(self.topics)}",
                f"{thing} for {dice.pick(self.people)}",
            )
        )
        return dice.pick(forms)


def with_articles(text: str) -> str:
    """`a` before a vowel becomes `an`.

    >>> with_articles("Send a event.")
    'Send an event.'
    """
    return re.sub(r"\ba (?=[aeiou])", "an ", text)
