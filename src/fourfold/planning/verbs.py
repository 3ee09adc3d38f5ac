"""The verbs by which a request says what to do."""

_VERBS = frozenset(
    """
    accept access add adjust alert analyse analyze announce append apply approve archive arrange ask assign attach
    authenticate authorize backup bake book boot brew browse build buy calculate call cancel capture change charge
    check clean clear clone close combine commit compare compile complete compose compress compute configure confirm
    connect convert copy count crawl create crop cut debug declare decode decrypt define delete deliver deploy
    describe detect determine disable disconnect dispatch display distribute divide download draft draw drop edit
    email embed enable encode encrypt end enter erase estimate evaluate examine execute expand explain export extend
    extract fetch fill filter find finish fix flush fly format forward gather generate get give go grant group guess
    halt head identify import improve increase index inform initialize insert inspect install invite invoke issue
    join kill label launch leave lint list listen load locate lock log login logout look lower mail make manage map
    mark measure merge message migrate modify monitor mount move mute navigate notify obtain open optimize order
    organize pack package paint parse paste patch pause pay perform pick ping place plan play plot post predict
    prepare present press preview print process produce promote propose provide provision prune publish pull
    purchase push put query rank rate read rebuild receive recommend record redirect reduce refactor refresh refund
    register release reload remind remove rename render renew reopen repair repeat replace reply report request
    reschedule reserve reset resize resolve restart restore resume retrieve return review revoke rewrite roll rotate
    run save scan schedule scrape search select send serve set share ship show shut sign simulate skip solve sort
    speak split start stop store stream submit subscribe subtract suggest summarise summarize suspend switch sync
    synchronize tag take tell terminate test text throttle trace track train transcribe transfer transform translate
    trigger trim tune turn tweet type undo unfollow uninstall unlock unmount unzip update upgrade upload validate
    verify view visit visualize wait wake warn wash watch withdraw wrap write zip zoom
    """.split()
)
"""What tools are commonly told to do."""


def is_verb(word: str) -> bool:
    """Whether a word tells to do something (``clone``, ``clones``, ``cloning``, ``cloned``) or is an identifier."""
    return "_" in word.strip("_") or bool(verbs_of(word))


def verbs_of(word: str) -> frozenset[str]:
    """Return the verbs that a word is a form of, by which tools are commonly told what to do."""
    return _VERBS.intersection(infinitives(word))


def infinitives(word: str) -> list[str]:
    """Return what a word may be a form of, in lower case, itself first."""
    word = word.lower()
    stems = [word, *(word[: -len(end)] for end in ("s", "es", "ed", "d", "ing") if word.endswith(end))]
    return stems + [f"{stem}e" for stem in stems] + [stem[:-1] for stem in stems if stem[-1:] == stem[-2:-1]]
