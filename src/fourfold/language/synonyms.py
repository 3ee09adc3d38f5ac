"""Words by which people ask for a relation, and words by which makers of graphs label it: a small thesaurus.

The static embedding knows what stands near a word in texts, not that "emits" and "publishes" ask for one edge. Each
group below is one relation of everyday English, of work, software, science, the arts, places or history: any word of it
asks for the edges whose label holds another. Words before a bar ask for the other end of the edges that those behind it
ask for, as subclasses do of what they inherit from; words before a tilde ask only where nothing else does; those before
an arrow ask for what labels call by those behind it, and not the other way. A word may stand in several groups: which
edges there are decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_GROUPS = """
boss manager supervisor superior supervise report principal
subordinate under | manager boss supervisor superior report
predecessor previous prior
successor next
owner own belong possess
birth born
death die died dead
job occupation profession title position role career
employer employ employed work staff employee affiliation
member membership affiliation belong
assign assigned staff staffed work
skill competency competence expertise know speciality specialty ability specialise specialize specialised specialized
education school university college alma study attend graduate
nationality citizenship citizen country
residence live reside home address
home homeland hometown homeworld native
pilot fly flew flown steer
religion faith believe
friend know acquaintance
lead led leader head chief chair run ran charge direct manage captain
responsible charge own owner maintain maintainer steward accountable look care administer admin administrator
found founder establish create creator start
inception founded established created
formation found formed established created started
narrative setting set happen occur
headquarter base based office seat location located
acquire buy purchase takeover
subsidiary division branch
department unit division
customer client buyer
supplier supply vendor provide provider deliver
competitor compete rival
product make made produce manufacture manufacturer maker build builder
invest investor fund funder finance backer
sponsor sponsorship support back
teach teacher lecture lecturer instructor instruct professor tutor
advisor adviser supervisor supervise mentor
student alumnus alumni graduate pupil | study studied attend attended educated education enrolled
student | advisor adviser supervisor mentor taught
prerequisite require requirement need before
credit ects point worth
exam examine examination assess assessment test
room hall venue place held location
building house site campus
textbook book reading literature
direct director make made filmmaker
star starring cast actor actress act appear play role perform performer portray portrayed feature
describe description word term tag keyword topic subject theme
film movie ~ cast star starring actor director direct composer
compose composer music score soundtrack
write writer wrote written author pen
screenplay screenwriter script scriptwriter write writer wrote written
produce producer production
base based adapt adaptation basis source
inspire inspiration influence influenced
sing singer vocalist perform performer record artist
photography cinematography cinematographer
album record song track release
label signed contract
genre kind style category
award prize win won winner receive honour honor
nominate nominee nomination
release publish publication premiere date
publisher publish
edit editor
translate translator translation
paint painter artist create creator
design designer architect architecture build
illustrate illustrator draw
publish emit produce producer send output
consume consumer subscribe subscriber listen listener receive read input
store save persist write database
read query load fetch
call invoke request talk
deploy deployed host hosted run
live host hosted deploy deployed
implement implementation language written write program code
depend dependency require need rely
import load
define declare contain
inherit extends extend superclass parent derive
subclass child derived | inherit extends extend superclass parent
override implement
raise throw exception error
return output
parameter argument accept
test cover check verify
license licence
version release
fix resolve repair solve patch
cause lead trigger produce result reason
affect impact touch influence break broke disrupt disturb hit
connect connected attach attached hook hooked plug plugged wire wired link linked
alternative substitute instead replacement fallback
replica copy backup mirror
oncall page duty rota
monitor watch observe alert
treat cure therapy therapeutic prescribe indication remedy medicine medication
contraindicate contraindication avoid
symptom sign present manifest
inhibit inhibitor block target suppress
activate activator stimulate target trigger
bind target attach
encode code gene
associate association link implicate relate
metabolize metabolise metabolism break
participate involve part
interact interaction
locate location sit lie place
capital seat
border neighbour neighbor adjacent adjoin share
flow mouth empty drain
feed flow
tributary | flow
source rise origin spring
cross bridge span
height elevation tall high altitude
length long
area size large big
population inhabitant people live
currency money pay
language speak spoken official
continent lie
mountain range peak summit
lake sea ocean water
rule ruler reign monarch king queen emperor
dynasty house family
crown coronation
fight fought combatant participant participate belligerent part
win won winner victor victory victorious beat
lose lost loser defeat
sign signatory treaty agree conclude
commander command commanded lead led
ally alliance
bury buried burial grave rest
team club side play squad
instrument instrumentalist play player
coach train trainer manager
coach coaching mentor
drive driver race
engine power motor
circuit track venue hold held
season year championship
injure injury
cite quote reference mention
apply cover govern regulate scope
process handle treat
enforce supervise authority oversee
comply compliance fulfil satisfy implement
protect secure safeguard mitigate control
risk threat
audit review inspect check
amend repeal replace
phone telephone number extension call dial contact
priority urgent urgency importance important
raise raised report reported open opened file filed submit submitted
perform performs done carry
issue issued owner owned assign assigned
expire expires expiry until end
classify classification category level
grow cultivate habitat live
eat diet feed prey food
ingredient contain include
taste flavour flavor
pair serve go accompany
price cost charge
mayor governor premier president minister chancellor king queen monarch emperor govern governs > head ruler
ceo boss chief executive president head chairman lead leader run
operator operate administer administrator administration
maintain maintainer maintenance custodian caretaker keeper
shareholder stockholder owner own hold stake
subsidiary daughter | parent owner
employee staff workforce headcount personnel work
revenue turnover sale sales income earnings
profit earnings income
industry sector business trade field branch
brand marque trademark label
dissolve dissolved dissolution abolish abolished defunct end ended cease close closed disband disbanded demolished
start begin began beginning commence launch launched debut premiere introduce introduction open opened opening
end ended finish finished cease conclude conclusion close closed closing
service enter entered entry commissioned launched
neighbourhood neighborhood district quarter borough
county province region district municipality territory prefecture ~ located location contain territorial
depth deep
width wide breadth broad
mass weight heavy weigh
speed velocity fast quick
capacity seat seats hold accommodate
temperature hot cold warm
duration runtime running last lasts long length
anthem hymn song
motto slogan tagline
emblem symbol logo seal arms crest
attraction landmark sight tourist
weather climate
twin twinned sister partner
voice voiced dub dubbed
character protagonist hero heroine villain feature appear
lyric lyrics lyricist word words text
cinematographer camera photography
franchise series saga
notable known famous renowned masterpiece
depict portray represent picture illustrate subject
material substance medium
ingredient component constituent > crafted composed composition compose consist contain
invent inventor discover discoverer discovery develop developer devise
sculptor sculpt artist create creator carve
developer develop programmer studio creator
commission commissioned patron order ordered
collection museum gallery held kept exhibit display
gross earn earned revenue box
award medal trophy prize honour
platform console system device
ideology politics political stance doctrine belief
position office post role serve served hold held appoint appointed
casualty casualties dead killed death victim victims fatality
war battle conflict
kill killed killer murder murdered murderer assassin assassinate assassinated
nickname alias pseudonym moniker epithet
ethnicity ethnic race descent ancestry
salary wage income compensation pay
fortune wealth worth capitalization valuation
offspring progeny child children heir
relative relation cousin uncle aunt nephew niece kin
lover girlfriend boyfriend fiance partner companion
spouse wed wedded widow widower bride groom consort partner
mentor master guru | student pupil disciple apprentice
predator | prey eat
transmit transmission spread carry vector
diagnose diagnosis test
orbit revolve circle parent
moon satellite child
occupant occupy tenant resident inhabitant
operate operated fleet
documentation docs manual guide
ticket bug issue
candidate contender nominee
judge preside
lawyer attorney counsel advocate
argue argued plead pleaded > lawyer attorney counsel advocate
presenter host hosted anchor moderator
broadcaster broadcast channel network station air aired
surname family last
forename given first christian
prison jail jailed imprisoned incarcerated detained detention
acronym abbreviation initialism short
endemic indigenous native
listed traded exchange stock
perimeter circumference
infection case
cause causes caused pathogen germ > basis etiology aetiology
catch caught > transmit transmission spread
derived based modeled modelled adapted
tribute dedicated dedication
incumbent officeholder
student pupil disciple apprentice protege
employee worker
answer > report
page > call
severity severe bad serious
bloom flower blossom
watch watched viewer audience
sell sells offer > product produce
used > treat indication purpose
protect prevent prevented prevention
storey story stories floor
colour color
agent represent represented
studio > production
common frequent prevalence incidence
endpoint api route > expose
teacher tutor mentor > advisor adviser supervisor
age old > birth born inception founded
called > nickname alias pseudonym demonym
"""


_NOUNS = """
film movie picture
song track tune
album record
book novel title
company firm business corporation enterprise startup
country nation
city town
person human people
doctor physician
actor actress
author writer
painter artist
club team
road street
vehicle car
medicine drug
disease illness infection
germ microbe pathogen organism
lawyer attorney barrister counsel advocate
"""
"""Nouns for the same kind of thing: what one of them calls may be where the edges of another lead."""


_ARROW = ">"


def _by_word(mark: str = "", groups: str = _GROUPS) -> Mapping[str, str]:
    """Return what the words of the groups with a mark ask for; without a mark, of those that have none but an arrow."""
    found: dict[str, dict[str, None]] = {}
    for row in groups.strip().splitlines():
        if mark in row and (mark or not _MARKS.intersection(row)):
            asking, _, labels = row.partition(mark or _ARROW)
            for word in asking.split():
                found.setdefault(word, {}).update(dict.fromkeys((labels or asking).split()))
    return MappingProxyType({word: " ".join(others) for word, others in found.items()})


_MARKS = frozenset("|~")

SAME, TURNED, ALONE = _by_word(), _by_word("|"), _by_word("~")
"""Words, and all words that ask for one of the same relations, with spaces between; for the other end of their edges;
and where no other word asks for an edge."""

KINDS = _by_word(groups=_NOUNS)
"""Nouns, and all nouns for the same kind of thing, with spaces between."""

OWN: Mapping[str, str] = MappingProxyType(dict.fromkeys(("country", "nation"), "currency"))
"""What only things of a kind have, as labels call it."""
