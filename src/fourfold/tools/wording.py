"""Everyday words for what tools call otherwise: "tell the team", to a tool that says "Send a message"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType

from fourfold.language.placed import word_at

_DEEDS = """
create add new open insert register make log record append schedule report raise submit declare: raise file jot_down
    schedule arrange declare; create add make_a make_an make_me make_new open_a report register set_up new draw_up
    put_in log note write_down plan fix_up record enter
submit create file: send_in; submit hand_in put_in
delete remove drop clear purge trash terminate: remove erase scrap get_rid_of throw_away throw_out throw toss chuck
    ditch discard dump purge nuke take_off take_out kick_out; delete trash bin wipe drop clear
cancel delete abort withdraw: cancel call_off abort withdraw take_back; drop
search find lookup query locate get: look_up look_for google locate hunt track_down dig_up; find search seek
list show get view display: see enumerate bring_up pull_up; show list display view
get fetch read retrieve list query check describe: grab obtain retrieve read look_at; get fetch pull check
update edit modify change set patch: edit modify amend alter tweak revise bump crank_up turn_up turn_down; update change
    correct fix adjust
move transfer reschedule update: relocate postpone push_back reschedule; move put put_into transfer shift drag put_off
rename move:; rename
send message post notify publish: tell notify ping message drop_a_line let_know write_to inform shoot announce
    broadcast; send text
send email mail: mail; email
call dial phone place: call dial give_a_ring; ring phone
copy duplicate clone backup back: duplicate clone back_up save_a_copy; copy
upload put attach:; upload attach
download save export:; download export
save store upload write: store stash; save
transfer pay send: wire remit send_money; transfer pay
invoice charge create: bill; charge
refund: refund reimburse give_back money_back pay_back
return: send_back take_back bring_back; return
rollback restore revert undo recover: recover get_back bring_back roll_back put_back revert undo; restore
start run launch trigger execute begin enable: launch kick_off fire_up boot spin_up; start run begin trigger execute
turn_on switch_on enable start: switch_on; turn_on
turn_off switch_off disable stop: switch_off shut_off shut_down; turn_off kill
stop pause terminate halt end kill disable: halt terminate shut_down; stop end kill pause quit
restart reboot: restart reboot bounce
play start:; play put_on listen_to
skip next:; skip
lock: lock_up; lock
unlock:; unlock
close resolve complete finish mark: mark_as_done tick_off check_off cross_off wrap_up; close finish resolve complete
book reserve make:; book reserve
buy order purchase checkout place: purchase; buy order get_me pay_for
summarize summarise summary: sum_up boil_down; summarise summarize
translate: say_in; translate put_into
generate draw create make render: draw paint sketch; generate design render
convert exchange: turn_into change_into; convert exchange put_into
resize scale: resize shrink enlarge make_smaller make_bigger blow_up scale_up scale_down; scale
compress zip archive: zip squeeze squish; compress pack
extract unzip decompress: unzip unpack decompress pull_out get_out; extract
merge join combine concatenate concat: put_together glue unite concatenate stitch; merge combine join
split: cut_up separate break_up; split divide
crop trim cut shorten: cut_off shorten cut_down; crop trim cut clip
transcribe: transcribe type_up
speak read: read_aloud read_out_loud read_out; speak
chart plot graph visualize create: chart visualise visualize; plot graph
calculate compute evaluate: work_out add_up; calculate compute
create remind set add:; remind wake
assign grant share: hand_over delegate; assign hand
forward: pass_on send_on; forward
reply respond answer draft: answer respond get_back_to write_back; reply
share grant invite: give_access let_see; share
invite add: invite bring_in
approve accept: sign_off green_light; approve accept
reject decline deny: reject decline refuse turn_down
subscribe register follow: sign_up; subscribe follow
unsubscribe: unsubscribe stop_getting opt_out
archive: put_away; archive
block freeze: freeze ban; block
mute:; mute silence
connect login link log: log_in hook_up; connect link
disconnect logout log: disconnect log_out
deploy release publish apply promote: ship roll_out push_live; deploy release
test check validate verify run:; test try verify
monitor watch: keep_an_eye_on; monitor watch
compare diff: contrast; compare
"""
"""Verbs of tools: what people say to have that done, words of a phrase joined; and what is only understood so, since
requests have it for other things, too ("the next order")."""

_THINGS = """
issue bug: bug defect
pull request: pr
event meeting appointment: appointment meeting
customer client: client customer
image photo: photo picture pic
track song: song tune
movie: film
taxi ride: cab
order delivery shipment: parcel package
cart: basket
junk: spam
mailing list: newsletter
repository: repo
document: doc
"""
"""The same for things."""

_TOKEN = re.compile(r"[^\W\d_]+|[.,;:!?]")
_ANSWERED = frozenset(("me", "us"))
"""What stands before "me" asks for an answer: "tell me the price"."""

_APART = 6
"""So many words stand at most between a verb and what belongs to it: "call the meeting with Ann off", …"""

_MARKS = frozenset(".,;:!?")
_ENDS = _MARKS.union("and then or but so please now for before until when if at again".split())
"""… which one of these follows, or nothing, …"""

_INTO = ["into"]
"""… but for this: "turn the recording into text"."""


def _read(table: str, *, understood: bool = True) -> dict[str, str]:
    """Return what is said → all that tools say for it; ``understood``: what is only understood so is among it."""
    found: dict[str, list[str]] = {}
    for line in table.replace("\n    ", " ").strip().splitlines():
        others, _, said = line.partition(":")
        for words in (said.replace(";", "") if understood else said.partition(";")[0]).split():
            found.setdefault(words.replace("_", " "), []).append(others)
    return {words: " ".join(others) for words, others in found.items()}


DEEDS: Mapping[str, str] = MappingProxyType(_read(_DEEDS))
"""Each verb or phrase by which something is asked to be done, and the verbs of tools that do it, ``turn_on`` as one."""

EVERYDAY: Mapping[str, str] = MappingProxyType(_read(_DEEDS, understood=False) | _read(_THINGS))
"""Each word or phrase that may stand for others, and what tools say for it."""

_MOST = 2
"""So many of the words that tools say stand for one."""


class Phrases:
    """Words and phrases that may be said."""

    def __init__(self, said: Iterable[str]) -> None:
        self._by_first: dict[str, list[list[str]]] = {}
        for phrase in sorted(said, key=len, reverse=True):
            if words := phrase.split():
                self._by_first.setdefault(words[0], []).append(words[1:])

    def at(self, words: Sequence[str], place: int) -> list[int]:
        """Return the places of the words of the longest phrase that begins at a place; none where none does."""
        behind = place + 1
        for rest in self._by_first.get(words[place], ()):
            for start in range(behind, behind + (_APART if len(rest) == 1 else 1)):
                if start > behind and word_at(words, start - 1) in _MARKS:
                    break
                end = start + len(rest)
                together = start == behind or end == len(words) or rest == _INTO
                if [*words[start:end]] == rest and (together or words[end] in _ENDS):
                    return [place, *range(start, end)]
        return []


_phrases = lru_cache(8)(Phrases)


def as_tools_say(
    request: str,
    words: Mapping[str, str],
    terms: Callable[[str], list[str]],
    held: Callable[[Iterable[str]], Collection[str]],
) -> str:
    """Return a request in which everyday words stand as what tools say for them, if one does.

    A phrase is read so wherever it stands ("get rid of"), a single word where nothing in the graph holds it.

    Args:
        request: in plain words.
        words: each word or phrase in lower case → the words for the same, parted by spaces.
        terms: a word → its terms.
        held: terms → those of them that occur in the graph.

    """
    phrases, found = _phrases(tuple(words)), list(_TOKEN.finditer(request))
    typed = [token[0].lower() for token in found]
    typed = [one if word not in words and (one := word.removesuffix("s")) in words else word for word in typed]
    spans = [phrases.at(typed, place) for place in range(len(typed))]
    meant = [words.get(" ".join(typed[at] for at in places), "").split() for places in spans]
    own = [terms(token[0]) if places else [] for token, places in zip(found, spans, strict=True)]
    terms_of = {other: terms(other) for others in meant for other in others}
    there = set(held([*chain(*own, *terms_of.values())])) if terms_of else set()  # asked once: it may be a server
    stands: dict[int, str] = {}
    for place, (places, others) in enumerate(zip(spans, meant, strict=True)):
        stays = word_at(typed, place + 1) in _ANSWERED or not there.isdisjoint(own[place])
        if place in stands or (len(places) == 1 and stays):
            continue
        if said := " ".join([other for other in others if not there.isdisjoint(terms_of[other])][:_MOST]):
            stands |= {**dict.fromkeys(places, ""), place: said.replace("_", " ")}
    read, end = "", 0
    for place, token in enumerate(found):
        between, word = request[end : token.start()], stands.get(place, token[0])
        read, end = read + (between if word else between.rstrip()) + word, token.end()
    return read + request[end:]
