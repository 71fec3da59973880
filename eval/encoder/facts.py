"""The labels of facts as tags of words and classes of a text, for the heads that read facts."""

import random
import re
import unicodedata

TAGS = [
    "target",
    "buyer",
    "amount",
    "store_brand",
    "store_city",
    "store_count",
    "company",
    "growth",
    "joined",
    "left",
    "promoted",
    "key_figure",
    "city",
]
"""What a word can be part of; a word can have several tags: the amount of a deal is its key figure too."""

CLASSES = {
    "deal": ["none", "funding", "acquisition", "stake_sale", "ipo", "jv"],
    "stores": ["none", "open", "closed"],
    "result": ["none", "up", "down", "level"],
}
"""Exclusive classes of a text. `result`: the growth that is reported goes up or down, or none is stated (`level`)."""

LEGAL_ENDING = {"ltd", "limited", "pvt", "private", "inc", "corp", "corporation", "company", "co", "llp", "plc"}
LETTERS = re.compile(r"^[^\W_]")
CITIES = {
    "bengaluru": "bangalore",
    "gurugram": "gurgaon",
    "mumbai": "bombay",
    "kolkata": "calcutta",
    "chennai": "madras",
    "delhi": "new delhi",
    "mysuru": "mysore",
    "vadodara": "baroda",
    "kochi": "cochin",
}
"""Older spellings of cities, which texts use as well."""
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LONGEST_FIGURE = 8
"""Words of a figure, such as `Rs 1 , 250 . 5 crore`."""
NUMBER_WORDS = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), map(str, range(1, 13)), strict=True)
) | {"first": "1", "second": "2", "third": "3"}


def fold(text: str) -> str:
    """Lower case without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()


def figure(text: str) -> tuple[float, str] | None:
    """The value and unit of a figure: `Rs 230 crore` and `₹2.3 billion` are (2.3e9, 'inr'), `32 per cent` is (32, '%')."""
    plain = fold(text).replace(",", "")
    number = re.search(r"\d+(?:\.\d+)?", plain)
    if number is None:
        return None
    value = float(number.group())
    if re.search(r"%|per ?cent|\bpc\b", plain):
        return value, "%"
    scale = (
        (r"lakh (cr\b|crore)", 1e12),
        (r"\bcr\b|crore|\d ?cr\b", 1e7),
        (r"lakh", 1e5),
        (r"\d ?k\b|thousand", 1e3),
        (r"bn\b|billion|\d ?b\b", 1e9),
        (r"mn\b|million|\d ?m\b", 1e6),
    )
    value *= next((factor for pattern, factor in scale if re.search(pattern, plain)), 1)
    units = ((r"₹|rs\.?|inr|cr\b|crore|lakh", "inr"), (r"\$|usd", "usd"), (r"€|eur", "eur"), (r"£|gbp", "gbp"))
    return float(f"{value:.6g}"), next((unit for pattern, unit in units if re.search(pattern, plain)), "")


def names_of(name: str) -> list[list[str]]:
    """The words of a name, with and without its legal ending and what is in brackets."""
    spelled = []
    for each in (name, re.sub(r"\(.*?\)", " ", name)):
        words = re.findall(r"[^\W_]+", fold(each))
        while words and words not in spelled:
            spelled.append(list(words))
            if words[-1] in LEGAL_ENDING:
                words.pop()
    return spelled


class TaggedWords:
    """The words of a text, and the tags that labels give them."""

    def __init__(self, tokens: dict):
        self.tokens = tokens
        self.words = tokens["words"]
        self.tags: list[set[str]] = [set() for _ in self.words]
        self.texts = [fold(self._text(index, index + 1)) for index in range(len(self.words))]
        self.lettered = [index for index, text in enumerate(self.texts) if LETTERS.match(text)]

    def _text(self, start: int, end: int) -> str:
        first, last = self.words[start], self.words[end - 1]
        return self.tokens[first["part"]][first["start"] : last["end"]]

    def mark_name(self, tag: str, name: str | None) -> bool:
        """Marks a name wherever it is written; the longest spelling that is in the text counts."""
        for words in names_of(name or ""):
            windows = [self.lettered[at : at + len(words)] for at in range(len(self.lettered) - len(words) + 1)]
            places = [
                range(window[0], window[-1] + 1)
                for window in windows
                if [self.texts[index] for index in window] == words
                and self.words[window[0]]["part"] == self.words[window[-1]]["part"]
                and window[-1] - window[0] < 2 * len(words)
            ]
            for place in places:
                for index in place:
                    self.tags[index].add(tag)
            if places:
                return True
        return False

    def mark_figure(self, tag: str, wanted: str | None) -> bool:
        """Marks a figure by value and unit in each part where it is written, in as few words as have its unit."""
        value = figure(wanted or "")
        if value is None:
            return False
        numbers = len(NUMBER.findall(wanted or ""))
        is_marked = False
        for start in range(len(self.words)):
            for end in range(start + 1, min(start + LONGEST_FIGURE, len(self.words)) + 1):
                if self.words[start]["part"] != self.words[end - 1]["part"]:
                    break
                text = self._text(start, end)
                if len(NUMBER.findall(text)) != numbers or figure(text) != value:
                    continue
                if not re.match(r"[\d₹$€£]|rs|inr|us\b", fold(text)):
                    continue
                for index in range(start, end):
                    self.tags[index].add(tag)
                is_marked = True
                break
        if not is_marked and value[1] == "" and value[0] <= 12:
            return self.mark_number(tag, value[0])
        return is_marked

    def mark_number(self, tag: str, number: float, after: str = "") -> bool:
        """Marks a number, in digits or as a word; `after` is what has to follow it."""
        is_marked = False
        for index, text in enumerate(self.texts):
            digits = NUMBER_WORDS.get(text, text).replace(",", "")
            if not re.fullmatch(r"\d+(\.\d+)?", digits):
                continue
            place = self.words[index]
            rest = fold(self.tokens[place["part"]][place["end"] : place["end"] + 12]).lstrip()
            decimals = re.match(r"\.\d+", rest)
            value = float(digits + (decimals.group() if decimals else ""))
            if round(value) == round(number) and (not after or re.search(after, rest)):
                self.tags[index].add(tag)
                is_marked = True
        return is_marked


def mark_facts(tokens: dict, record: dict) -> tuple[list[list[int]], dict[str, int]]:
    """
    Labels the words and the text of an item.
    @returns a row of 0 and 1 by tag for each word, and the number of the class by its name
    """
    marked = TaggedWords(tokens)
    classes = dict.fromkeys(CLASSES, 0)
    if record["relevant"]:
        mark_deal(marked, classes, record.get("deal"))
        mark_stores(marked, classes, record.get("openings") or [])
        mark_result(marked, classes, record.get("result"))
        for person in record.get("people") or []:
            if person["direction"] in TAGS and person.get("person"):
                marked.mark_name(person["direction"], person["person"])
        for city in record.get("cities") or []:
            marked.mark_name("city", city) or marked.mark_name("city", CITIES.get(fold(city)))
        marked.mark_figure("key_figure", record.get("delta"))
    return [[int(tag in tags) for tag in TAGS] for tags in marked.tags], classes


def mark_deal(marked: TaggedWords, classes: dict[str, int], deal: dict | None) -> None:
    """The target, the buyers and the amount of a deal, and its type."""
    if not deal:
        return
    classes["deal"] = CLASSES["deal"].index(deal["type"])
    marked.mark_name("target", deal.get("target"))
    for buyer in deal.get("buyers") or []:
        marked.mark_name("buyer", buyer)
    marked.mark_figure("amount", deal.get("amount"))


def mark_stores(marked: TaggedWords, classes: dict[str, int], openings: list[dict]) -> None:
    """The brand, city and number of stores that open or close."""
    for opening in openings:
        classes["stores"] = CLASSES["stores"].index("closed" if opening["status"] == "closed" else "open")
        marked.mark_name("store_brand", opening.get("brand"))
        city = opening.get("city")
        if city:
            marked.mark_name("store_city", city) or marked.mark_name("store_city", CITIES.get(fold(city)))
        if opening.get("stores"):
            marked.mark_number("store_count", opening["stores"])


def mark_result(marked: TaggedWords, classes: dict[str, int], result: dict | None) -> None:
    """The company and the growth of a result."""
    if not result:
        return
    growth = result.get("growth_pct")
    sign = "level" if growth is None else "up" if growth >= 0 else "down"
    classes["result"] = CLASSES["result"].index(sign)
    marked.mark_name("company", result.get("company"))
    if growth is not None:
        marked.mark_number("growth", abs(growth), r"^(\.\d+)?\s*(%|per ?cent|pc\b)")


class Swaps:
    """
    Copies of labelled items with other names: heads that saw a few hundred facts would learn the companies instead of the
    words around them. Half of the companies are of other items, half are invented.
    """

    SYLLABLES = "ka ri mo ta ve lu shi na bo dra pa li zen ro ma ko fe ya go ni tra su mi la".split()
    ENDINGS = ("", "", "", " Foods", " Retail", " Labs", " Beauty", " Fashion")
    KEPT = ("move", "status", "type", "direction", "key", "date", "url", "outlet")
    """Fields that are no text."""

    def __init__(self, records: list[dict], rng: random.Random):
        self.rng = rng
        self.companies = sorted({name for record in records for name in [*record["primary"], *record["secondary"]]})
        people = sorted({each["person"] for record in records for each in record["people"] if each["person"]})
        self.first, self.last = [name.split()[0] for name in people], [name.split()[-1] for name in people]
        self.cities = sorted({city for record in records for city in record["cities"]})

    def company(self) -> str:
        if self.rng.random() < 0.5:
            return self.rng.choice(self.companies)
        syllables = [self.rng.choice(self.SYLLABLES) for _ in range(self.rng.choice((2, 2, 3)))]
        return "".join(syllables).capitalize() + self.rng.choice(self.ENDINGS)

    def swap(self, record: dict) -> dict | None:
        """A copy with other companies, people and cities in texts and labels; None where the item names none."""
        deal, result = record.get("deal") or {}, record.get("result") or {}
        named = {*record["primary"], *record["secondary"], deal.get("target"), *(deal.get("buyers") or [])}
        named |= {each["brand"] for each in record["openings"]} | {result.get("company")}
        other = {name: self.company() for name in sorted(filter(None, named)) if self.rng.random() < 0.8}
        for each in record["people"]:
            if each["person"]:
                other[each["person"]] = f"{self.rng.choice(self.first)} {self.rng.choice(self.last)}"
        other |= {city: self.rng.choice(self.cities) for city in record["cities"]}
        if not other:
            return None
        names = sorted(other, key=len, reverse=True)
        pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names))

        def rewrite(value: object) -> object:
            if isinstance(value, dict):
                return {key: each if key in self.KEPT else rewrite(each) for key, each in value.items()}
            if isinstance(value, list):
                return [rewrite(each) for each in value]
            return pattern.sub(lambda match: other[match.group()], value) if isinstance(value, str) else value

        return rewrite(record)
