"""Graphs of made-up facts, drawn by fixed seeds, named like well-known ones: for facts.py.

``films`` has the edge types of a film database, ``people`` those of Freebase, ``works`` those of DBpedia, ``labels``
those of Wikidata. What is asked of them stands in facts_asked.json: paths of edge types ("^" against the arrow), each
with the ways to ask for what stands at its end.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fourfold import Edge, Node
from fourfold.edge_types import label
from fourfold.evaluate import JudgedQuery

_MOST_ANSWERS = 60


@dataclass
class Facts:
    """Facts as they are drawn."""

    draw: random.Random
    triples: dict[tuple[str, str, str], None] = field(default_factory=dict)

    def say(self, source: str, kind: str, ends: Sequence[str], count: int = 1, chance: float = 1.0) -> None:
        """Draw so many ends of one source and edge type, or none at all."""
        if self.draw.random() < chance:
            for end in self.draw.sample(ends, count):
                if end != source:
                    self.triples[source, kind, end] = None

    def say_of_each(self, things: Sequence[str], kinds: Mapping[str, Sequence[str]]) -> None:
        """Draw one end of each edge type for each of some things."""
        for thing in things:
            for kind, ends in kinds.items():
                self.say(thing, kind, ends)

    def names(self, first: str, last: str, count: int, form: str = "{} {}") -> list[str]:
        """Draw names of two words."""
        return self.draw.sample([form.format(a, b) for a in first.split() for b in last.split()], count)


def films(draw: random.Random) -> Facts:
    """Draw films, whose titles are made of common words and often of the same, with who made them."""
    facts = Facts(draw)
    people = facts.names(
        "Ada Bruno Carla Dmitri Elena Farid Greta Hugo Ines Jonas Kamila Lars Mona Nils Olga Pavel Rosa Stefan Tilda "
        "Umar Vera Willem Xenia Yusuf Zora Henry Alice Peter Clara Edgar",
        "Almeida Berg Castellan Drummond Eklund Ferrer Grimaldi Hartnell Ivanov Jansson Keller Moreau Novak Okafor",
        340,
    )
    adjectives = "Silent Crimson Last Broken Golden Lost Hidden Burning Frozen Distant Secret Empty Wild Dark Brave"
    nouns = "River Harvest Summer Kingdom Letter Garden Winter Station Mirror Voyage Daughter Soldier Island Storm"
    forms = ("The {} {}", "{} {}", "A {} {}")
    titles = [title for form in forms for title in facts.names(adjectives, nouns, 140, form)] + nouns.split()
    genres = "Drama Comedy Thriller Horror Romance Western War Musical Crime Adventure Documentary Fantasy".split()
    tags = "boxing heist vampires divorce chess prison revenge twins cooking submarine amnesia nuns poker".split()
    for title in titles:
        facts.say(title, "directed_by", people[200:280])
        facts.say(title, "written_by", people[260:], draw.choice((1, 1, 2)))
        facts.say(title, "starred_actors", people[:200], draw.choice((2, 3, 4)))
        facts.say(title, "release_year", [str(year) for year in range(1950, 2013)])
        facts.say(title, "in_language", "French German Japanese Italian Swedish Russian Hindi".split(), 1, 0.5)
        facts.say(title, "has_genre", genres, draw.choice((1, 1, 2)))
        facts.say(title, "has_tags", tags, draw.choice((1, 2)), 0.6)
        facts.say(title, "has_imdb_rating", ["good", "bad"], 1, 0.3)
        facts.say(title, "has_imdb_votes", ["famous", "unknown", "well-known"], 1, 0.3)
    return facts


def people(draw: random.Random) -> Facts:
    """Draw people and where they live, bands, books, companies and teams, by edge types of Freebase."""
    facts = Facts(draw)
    persons = facts.names(
        "Adrian Beatrix Cornelius Delphine Emil Frieda Gustav Helga Igor Josefa Konrad Leonie Maxim Natalia Otto Petra",
        "Abendroth Brinkmann Czerny Dreher Eichhorn Falkenberg Gruber Hofmann Imhof Jacobsen Kessler Lorenz Oppel",
        200,
    )
    cities = "Altmar Brenholt Corvina Dunmere Estavar Falkirk Glarona Hestia Ilmenau Jorvik Kelso Lindau Morwen Narvik"
    countries = "Arendia Borduria Carpathia Dorne Elbonia Freedonia Grenwald".split()
    towns = cities.split()
    for place, town in enumerate(towns):
        facts.say(town, "containedby", [countries[place % 7]])
    for place, country in enumerate(countries):
        facts.say(country, "capital", [towns[place]])
        facts.say(country, "currency_used", ["florin taler crown dinar lira guilder ducat".split()[place]])
        facts.say(country, "official_language", [f"{country[:-2]}ish"])
    schools = ["University of Altmar", "Dunmere College", "Selby Institute of Technology"]
    for person in persons:
        facts.say(person, "place_of_birth", towns)
        facts.say(person, "profession", "lawyer physician architect painter chemist carpenter novelist".split())
        facts.say(person, "gender", ["male", "female"])
        facts.say(person, "nationality", countries, 1, 0.5)
        facts.say(person, "religion", "Catholicism Buddhism Judaism Islam Hinduism".split(), 1, 0.4)
        facts.say(person, "ethnicity", "Bavarians Saxons Frisians Basques".split(), 1, 0.3)
        facts.say(person, "place_of_death", towns, 1, 0.5)
        facts.say(person, "cause_of_death", "tuberculosis stroke pneumonia drowning".split(), 1, 0.5)
        facts.say(person, "spouse", persons, 1, 0.3)
        facts.say(person, "children", persons, 1, 0.3)
        facts.say(person, "education_institution", schools, 1, 0.3)
        facts.say(person, "influenced_by", persons, 1, 0.2)
    bands = ["The Velvet Foxes", "Iron Lantern", "Paper Tigers", "Northern Echo", "Glass Harbour", "Copper Moon"]
    labels = ["Sunrise Records", "Blue Note House", "Tower Sound", "Polar Discs"]
    for band in bands:
        facts.say(band, "label", labels)
        facts.say(band, "genre", ["jazz", "folk rock", "heavy metal", "opera", "reggae", "ambient"])
        facts.say(band, "origin", towns)
        facts.say(band, "member", persons, 3)
    for book in facts.names("Whispering Hollow Amber Forgotten Salted", "Lighthouse Meadow Almanac Passage Orchid", 20):
        facts.say(book, "author", persons)
        facts.say(book, "subjects", "astronomy slavery witchcraft migration beekeeping famine".split())
        facts.say(book, "original_language", [f"{country[:-2]}ish" for country in countries])
    for company in ("Brightwell Motors", "Kestrel Airlines", "Omnia Foods", "Delta Forge", "Harrow Bank"):
        facts.say(company, "founders", persons, 2)
        facts.say(company, "headquarters", towns)
        facts.say(company, "industry", "aviation banking automotive optics steelmaking".split())
    teams = ["Brenholt Rovers", "Varna United", "Selby Town", "Lindau Eagles"]
    for team in teams:
        facts.say(team, "location", towns)
    for person in persons[:60]:
        facts.say(person, "team", teams)
        facts.say(person, "position_s", ["goalkeeper", "midfielder", "striker"])
    for name in labels:
        facts.say(name, "founders", persons)
    return facts


def works(draw: random.Random) -> Facts:
    """Draw what people make and lead, by edge types of DBpedia."""
    facts = Facts(draw)
    persons = facts.names(
        "Alba Bastien Chiara Duarte Eloise Fabian Giulia Hector Isolde Joaquin Katarin Lorenzo Mireille Nestor",
        "Arrabal Bonnefoy Calderon Delacroix Escudero Fournier Gallardo Herrera Iturbe Jourdain Kowalski Montoya",
        150,
    )
    towns = "Ashford Belmora Cresthaven Dunholm Eastmere Fernwick Greystone Ironbridge Kingsport Marlow".split()
    countries = "Valdoria Norland Estmark Suderia Westria Kelmoria".split()
    for place, town in enumerate(towns):
        facts.say(town, "country", [countries[place % 6]])
        facts.say(town, "mayor", persons)
    for place, country in enumerate(countries):
        facts.say(country, "capital", [towns[place]])
        facts.say(country, "largestCity", [towns[(place + 5) % 10]])
        facts.say(country, "leader", persons)
        facts.say(country, "nationalAnthem", [f"Song of {country}"])
    for person in persons:
        facts.say(person, "birthPlace", towns)
        facts.say(person, "deathPlace", towns, 1, 0.4)
        facts.say(person, "almaMater", ["Belmora University", "Marlow College", "Oakhurst Academy"], 1, 0.4)
        facts.say(person, "party", ["Green Alliance", "Labour Front", "Liberal Centre"], 1, 0.2)
        facts.say(person, "award", ["Golden Quill", "Silver Palm", "Order of Merit"], 1, 0.25)
        facts.say(person, "field", ["organic chemistry", "number theory", "linguistics"], 1, 0.2)
        facts.say(person, "doctoralAdvisor", persons, 1, 0.2)
        facts.say(person, "instrument", ["violin", "trumpet", "piano", "cello", "drum kit"], 1, 0.2)
        facts.say(person, "spouse", persons, 1, 0.2)
        facts.say(person, "child", persons, 1, 0.2)
        facts.say(person, "successor", persons, 1, 0.1)
    companies = facts.names("Alder Birch Cobalt Drake Ember", "Systems Holdings Works Pharma", 14)
    made = {
        "film": (facts.names("Midnight Paper Stolen Quiet Burnt", "Carousel Verdict Horizon Lantern", 16),
                 {"director": persons, "producer": persons, "musicComposer": persons, "distributor": companies}),
        "show": (facts.names("Kitchen Harbour Family Monday", "Squad Stories Diaries Patrol", 12),
                 {"network": companies, "presenter": persons, "creator": persons}),
        "game": (facts.names("Dragon Pixel Turbo Shadow", "Quest Racer Legends Arena", 10),
                 {"developer": companies, "publisher": companies}),
        "car": (facts.names("Falcon Comet Aurora Tempest", "GT Wagon Roadster", 9),
                {"manufacturer": companies, "designer": persons}),
        "company": (companies, {"foundedBy": persons, "locationCity": towns, "keyPerson": persons}),
        "book": (facts.names("Winter Copper Hollow Sapphire", "Testament Chronicle Serenade", 12),
                 {"author": persons, "publisher": companies, "illustrator": persons}),
        "bridge": ([f"{one} Bridge" for one in "Albion Bishop Charter Ducal Elm".split()],
                   {"crosses": "Arn Bellow Corran Dray Esk".split(), "architect": persons}),
        "tower": ([f"{one} Tower" for one in "Atlas Beacon Citadel Emerald".split()],
                  {"architect": persons, "location": towns, "owner": companies}),
        "river": ("Arn Bellow Corran Dray Esk".split(), {"mouth": ["Amber Sea", "Grey Gulf"]}),
        "battle": ([f"Battle of {town}" for town in towns[:6]], {"commander": persons, "place": towns}),
    }  # fmt: skip
    for things, kinds in made.values():
        facts.say_of_each(things, kinds)
    for film in made["film"][0]:
        facts.say(film, "starring", persons, 3)
    for company in companies:
        facts.say(company, "parentCompany", companies, 1, 0.5)
    grounds = [f"{one} Park" for one in "Victoria Albert Century Riverside Meadow Crown".split()]
    for town, ground in zip(towns, grounds, strict=False):
        facts.say(f"{town} FC", "ground", [ground])
        facts.say(f"{town} FC", "manager", persons)
        facts.say(ground, "location", towns)
        facts.say(ground, "owner", companies)
    return facts


def labels(draw: random.Random) -> Facts:
    """Draw people, works, places and species, by labels of Wikidata."""
    facts = Facts(draw)
    persons = facts.names(
        "Akira Bohdan Celeste Darius Ewa Femi Gulnara Hamish Ingrid Jorge Keiko Ludmila Mansur Nadia",
        "Adeyemi Bielik Costello Dudek Eriksen Fukuda Ganesan Hovland Ishikawa Jelinek Khoury Lindholm",
        150,
    )
    towns = "Aldenport Bryndale Coldmoor Drummore Elverum Fairhaven Gorsemouth Harrowgate Inverlea Jutborg".split()
    countries = "Tarsia Ombria Velland Quorra Zembla".split()
    employers = ["Northwind Energy", "Calder Foundation", "Meridian Press", "Orbit Laboratories"]
    for place, town in enumerate(towns):
        facts.say(town, "located in the administrative territorial entity", [countries[place % 5]])
        facts.say(town, "head of government", persons)
        facts.say(town, "twinned administrative body", towns)
        facts.say(town, "named after", persons)
    for place, country in enumerate(countries):
        facts.say(country, "capital", [towns[place]])
        facts.say(country, "head of state", persons)
        facts.say(country, "official language", [f"{country[:-1]}n"])
        facts.say(country, "currency", [["thaler", "koruna", "rand", "leu", "zloty"][place]])
        facts.say(country, "shares border with", [countries[(place + 1) % 5]])
        facts.say(country, "highest point", [f"Mount {country[:3]}"])
    for person in persons:
        facts.say(person, "place of birth", towns)
        facts.say(person, "occupation", "biologist diplomat sculptor actuary violinist playwright".split())
        facts.say(person, "date of birth", [str(year) for year in range(1880, 1991)])
        facts.say(person, "country of citizenship", countries, 1, 0.4)
        facts.say(person, "educated at", ["University of Coldmoor", "St Brannoc College"], 1, 0.3)
        facts.say(person, "employer", employers, 1, 0.3)
        facts.say(person, "member of political party", ["Reform Party", "People's Union"], 1, 0.15)
        facts.say(person, "award received", ["Lovelace Medal", "Peregrine Prize", "Crystal Bear"], 1, 0.2)
        for kind in ("father", "mother", "spouse", "sibling", "student of"):
            facts.say(person, kind, persons, 1, 0.2)
        facts.say(person, "sport", "handball curling fencing rowing".split(), 1, 0.2)
        facts.say(person, "manner of death", ["accident", "natural causes", "homicide"], 1, 0.2)
        facts.say(person, "place of burial", towns, 1, 0.2)
    novels = facts.names("Saltmarsh Tin Lantern Bitter", "Parable Inheritance Cartographer Psalm", 14)
    genres = ["film noir", "space opera", "satire", "gothic fiction", "road movie"]
    species = facts.names("crested striped dwarf marsh", "warbler salamander orchid beetle", 10)
    films = facts.names("Ninth Velvet Hollow Rogue", "Ferry Tribunal Aperture Monsoon", 12)
    made = (
        (novels, {"author": persons, "main subject": ["loneliness", "cryptography"], "publisher": employers,
                  "genre": genres, "narrative location": towns, "publication date": ["1931", "1952", "1987"]}),
        (films, {"director": persons, "screenwriter": persons, "genre": genres, "based on": novels,
                 "filming location": towns}),
        (facts.names("Blue Neon Paper Wild", "Sparrow Avenue Thunder", 10),
         {"performer": persons, "lyrics by": persons, "composer": persons}),
        (species, {"parent taxon": ["Sylvanella", "Pyrotriton"], "endemic to": countries,
                   "discoverer or inventor": persons}),
        (["ferronium", "lucidium", "kelvane"], {"discoverer or inventor": persons, "named after": towns}),
        (employers, {"headquarters location": towns, "founded by": persons, "chief executive officer": persons,
                     "inception": [str(year) for year in range(1800, 1880)]}),
    )  # fmt: skip
    for things, kinds in made:
        facts.say_of_each(things, kinds)
    for film in films:
        facts.say(film, "cast member", persons, 3)
    return facts


GRAPHS: Mapping[str, Callable[[random.Random], Facts]] = {
    "films": films,
    "people": people,
    "works": works,
    "labels": labels,
}


def drawn(name: str) -> tuple[list[Node], list[Edge], list[tuple[str, str, str]]]:
    """Return a graph, whose nodes' texts list their edges, as nodes, edges and triples of names."""
    triples = sorted(GRAPHS[name](random.Random(0)).triples)
    texts: dict[str, list[str]] = defaultdict(list)
    for source, kind, target in triples:
        texts[source].append(f"{label(kind)}: {target}")
    names = sorted({end for source, _, target in triples for end in (source, target)})
    nodes = [Node(one, one, "", "; ".join(texts[one])) for one in names]
    return nodes, [Edge(source, target, kind) for source, kind, target in triples], triples


def asked(
    triples: Sequence[tuple[str, str, str]], paths: Mapping[str, Sequence[str]], each: int
) -> Iterator[tuple[int, JudgedQuery]]:
    """Return so many questions of each way to ask for each path, with its number of steps."""
    ends: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for source, kind, target in triples:
        ends[kind][source].add(target)
        ends[f"^{kind}"][target].add(source)
    draw = random.Random(1)
    for path, ways in paths.items():
        steps = path.split("/")
        starts = sorted(ends[steps[0]])
        for way in ways:
            made = 0
            for start in draw.sample(starts, len(starts)):
                found = {start}
                for step in steps:
                    found = {end for one in found for end in ends[step].get(one, ())}
                if made < each and 0 < len(answers := sorted(found - {start})) <= _MOST_ANSWERS:
                    text = way.format(start.lower() if draw.random() < 0.5 else start)
                    yield len(steps), JudgedQuery(f"{path} {text}", text, dict.fromkeys(answers, 1.0))
                    made += 1
