"""Words by which people ask for a relation, and words by which makers of graphs label it: a small thesaurus.

The static embedding knows what stands near a word in texts, not that "emits" and "publishes" ask for one edge. Each
group below is one relation of everyday English, of work, software, science, the arts, places or history: any word of it
asks for the edges whose label holds another. Words before a bar ask for the other end of the edges that those behind it
ask for, as subclasses do of what they inherit from; words before a tilde ask only where nothing else does. A word may
stand in several groups: which edges there are decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_GROUPS = """
boss manager supervisor superior supervise report principal
subordinate under | manager boss supervisor superior report
predecessor precede before previous prior follow
sequel | follow
prequel | succeed successor
successor succeed after next follow replace
owner own belong possess
birth born
death die died dead
job occupation profession title position role career living
employer employ employed work staff employee affiliation
member membership affiliation belong
assign assigned staff staffed work
skill competency competence expertise know speciality specialty ability specialise specialize specialised specialized
education school university college alma study attend graduate
nationality citizenship citizen country
residence live reside home
home homeland hometown homeworld native
pilot fly flew flown steer
religion faith believe
friend know acquaintance
lead leader head chief chair run charge direct manage captain
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
star starring cast actor actress act appear play role perform performer feature
describe description word term tag keyword topic subject theme
film movie ~ cast star starring actor director direct composer
compose composer music score soundtrack
write writer wrote written author pen
screenplay screenwriter script scriptwriter write writer
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
live host hosted deploy deployed locate located location
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
affect impact touch influence
replica copy backup mirror
oncall page duty rota
monitor watch observe alert
treat cure therapy therapeutic prescribe indication remedy medicine
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
rule ruler reign monarch king queen emperor govern
dynasty house family
crown coronation
fight fought combatant participant participate belligerent part
win won winner victor victory victorious beat
lose lost loser defeat
sign signatory treaty agree conclude
commander command commanded lead
ally alliance
bury buried burial grave rest
team club side play squad
instrument instrumentalist play player
coach train trainer manager
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
"""


_NOUNS = """
film movie picture
song track tune
album record
book novel title
company firm business corporation enterprise
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
disease illness
"""
"""Nouns for the same kind of thing: what one of them calls may be where the edges of another lead."""


def _by_word(mark: str = "", groups: str = _GROUPS) -> Mapping[str, str]:
    """Return what the words of the groups with a mark ask for; without a mark, of those that have none."""
    found: dict[str, dict[str, None]] = {}
    for row in groups.strip().splitlines():
        if mark in row and (mark or not _MARKS.intersection(row)):
            asking, _, labels = row.partition(mark or "\n")
            for word in asking.split():
                found.setdefault(word, {}).update(dict.fromkeys((labels or asking).split()))
    return MappingProxyType({word: " ".join(others) for word, others in found.items()})


_MARKS = frozenset("|~")

SAME, TURNED, ALONE = _by_word(), _by_word("|"), _by_word("~")
"""Words, and all words that ask for one of the same relations, with spaces between; for the other end of their edges;
and where no other word asks for an edge."""

KINDS = _by_word(groups=_NOUNS)
"""Nouns, and all nouns for the same kind of thing, with spaces between."""
