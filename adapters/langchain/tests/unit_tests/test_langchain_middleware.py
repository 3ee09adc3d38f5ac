"""The middleware in a real agent: the model sees only the tools found."""

import copy
import os

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool
from pydantic import Field, create_model

from fourfold import Edge, InvalidValueError, Retriever
from fourfold.tools import ToolCatalog

pytest.importorskip("langchain", reason="agents need the langchain package: the extra 'agents'")


class Model(GenericFakeChatModel):
    offered: list = []

    def bind_tools(self, tools, **options):
        self.offered.append(sorted(tool.name for tool in tools))
        return self


def tools():
    said = {
        "deploy_prod": "Deploy the application to prod.",
        "npm_install": "Fetch packages.",
        "send_mail": "Send a mail.",
    }
    said |= {f"weather_{n}": f"Tell the weather of region {n}." for n in range(30)}
    return [StructuredTool.from_function(lambda: "done", name=name, description=text) for name, text in said.items()]


def agent_of(model, **options):
    from langchain.agents import create_agent
    from langchain_fourfold.middleware import FourfoldToolSelector

    catalog = ToolCatalog()
    catalog.add_tools(tools())
    catalog.add_edges([Edge("deploy_prod", "npm_install", "requires")])
    return create_agent(model, tools(), middleware=[FourfoldToolSelector(catalog, limit=2, **options)])


def calls(name):
    return AIMessage("", tool_calls=[{"name": name, "args": {}, "id": "1"}])


def test_the_model_is_offered_what_was_found_and_what_that_needs():
    model = Model(messages=iter([calls("npm_install"), AIMessage("Deployed.")]), offered=[])
    answer = agent_of(model, always=["send_mail"]).invoke({"messages": [("user", "deploy to prod")]})
    assert answer["messages"][-1].content == "Deployed."
    assert len(model.offered) == 2
    for offered in model.offered:
        assert {"deploy_prod", "npm_install", "send_mail"} <= set(offered) and len(offered) <= 4


def test_a_deep_copy_chooses_as_well():
    from langchain.agents import create_agent
    from langchain_fourfold.middleware import FourfoldToolSelector

    model = Model(messages=iter([AIMessage("Yes.")]), offered=[])
    copied = copy.deepcopy(FourfoldToolSelector(limit=2))
    create_agent(model, tools(), middleware=[copied]).invoke({"messages": [("user", "deploy to prod")]})
    assert "deploy_prod" in model.offered[0]


async def test_asynchronously():
    model = Model(messages=iter([AIMessage("Yes.")]), offered=[])
    await agent_of(model).ainvoke({"messages": [("user", "deploy to prod")]})
    assert set(model.offered[0]) >= {"deploy_prod", "npm_install"} and len(model.offered[0]) <= 3


def test_a_catalogue_of_its_own_and_nothing_found():
    from langchain.agents import create_agent
    from langchain_fourfold.middleware import FourfoldToolSelector

    model = Model(messages=iter([AIMessage("Yes."), AIMessage("Yes.")]), offered=[])
    agent = create_agent(model, tools(), middleware=[FourfoldToolSelector(limit=2)])
    agent.invoke({"messages": [("user", "send a mail")]})
    assert "send_mail" in model.offered[0] and len(model.offered[0]) <= 7


def selected(selector, offered, question):
    """Return the names of the tools that the selector leaves in a request."""
    from langchain.agents.middleware import ModelRequest
    from langchain_core.messages import HumanMessage

    kept = []
    request = ModelRequest(model=None, messages=[HumanMessage(question)], tools=list(offered))
    selector.wrap_model_call(request, lambda request: kept.extend(tool.name for tool in request.tools))
    return set(kept)


def test_a_reply_that_no_tool_serves_keeps_the_tools_of_the_question_before():
    """After "yes, please" the model was offered what sounds like that, and no longer what it had asked about."""
    model = Model(messages=iter([AIMessage("Shall I?"), AIMessage("Done.")]), offered=[])
    agent = agent_of(model)
    asked = agent.invoke({"messages": [("user", "deploy to prod")]})["messages"]
    answer = agent.invoke({"messages": [*asked, ("user", "yes, please")]})
    assert answer["messages"][-1].content == "Done."
    assert {"deploy_prod", "npm_install"} <= set(model.offered[1]) and len(model.offered[1]) < 10
    other = Model(messages=iter([AIMessage("Sent.")]), offered=[])
    agent_of(other).invoke({"messages": [*asked, ("user", "send a mail")]})
    assert "send_mail" in other.offered[0] and "deploy_prod" not in other.offered[0]


def test_what_cannot_be_meant_is_refused_where_it_is_given():
    """Each was an error of the first question; of a name in the place of names each letter was one."""
    from langchain_fourfold.middleware import FourfoldToolSelector

    for options in ({"limit": 0}, {"limit": 1000}, {"always": 3}, {"catalog": "tools.sqlite"}):
        with pytest.raises(InvalidValueError):
            FourfoldToolSelector(**options)
    assert "send_mail" in selected(FourfoldToolSelector(limit=2, always="send_mail"), tools(), "deploy to prod")


def named(**said):
    return [StructuredTool.from_function(lambda: "done", name=name, description=text) for name, text in said.items()]


def test_tools_that_come_later_are_found():
    from langchain_fourfold.middleware import FourfoldToolSelector

    selector = FourfoldToolSelector(limit=2)
    assert "send_mail" in selected(selector, tools(), "send a mail")
    later = [*tools(), *named(translate_text="Translate a text into French.")]
    assert "translate_text" in selected(selector, later, "translate this into French")
    changed = [*tools()[1:], *named(deploy_prod="Bake bread in the oven.")]
    assert "deploy_prod" in selected(selector, changed, "bake some bread")
    assert "translate_text" not in selected(selector, tools(), "translate this into French")
    assert "send_mail" in selected(selector, tools(), "send a mail")


@pytest.mark.parametrize("as_json", [True, False])
def test_tools_that_say_other_things_of_their_parameters_are_others(as_json):
    """Those of the same names were taken for the tools of an earlier request."""
    from langchain_fourfold.middleware import FourfoldToolSelector

    def made(mailing):
        found = []
        for name in ("one", "two", "three", "four"):
            said = "The address to send a letter by mail to." if name == mailing else "Something else."
            schema = {"type": "object", "properties": {"x": {"type": "string", "description": said}}}
            model = create_model(name, x=(str, Field(description=said)))
            found.append(
                StructuredTool.from_function(
                    lambda x: x, name=name, description="Do it.", args_schema=schema if as_json else model
                )
            )
        return found

    selector = FourfoldToolSelector(limit=1)
    for mailing in ("two", "four"):
        assert mailing in selected(selector, made(mailing), "send a letter by mail")


def test_catalogues_are_kept_for_the_last_few_sets_of_tools(monkeypatch):
    from langchain_fourfold import middleware

    made = []

    class Counting(ToolCatalog):
        def __init__(self):
            super().__init__()
            made.append(self)

    monkeypatch.setattr(middleware, "ToolCatalog", Counting)
    selector = middleware.FourfoldToolSelector(limit=2)
    for _ in range(3):
        selected(selector, tools(), "send a mail")  # made anew each time, as adapters of MCP servers do
    assert len(made) == 1
    for n in range(20):
        selected(selector, [*tools(), *named(**{f"new_{n}": "Something new."})], "send a mail")
    assert len(made) == 21 and len(selector._made) == middleware._KEPT


def test_tools_that_a_given_catalogue_does_not_know_stay():
    from langchain_fourfold.middleware import FourfoldToolSelector

    catalog = ToolCatalog()
    catalog.add_tools(tools(), server="local")  # ids are local:deploy_prod and so on
    kept = selected(FourfoldToolSelector(catalog, limit=1), [*tools(), *named(unheard_of="What is it?")], "send a mail")
    assert {"send_mail", "unheard_of"} <= kept and len(kept) <= 4


@pytest.mark.skipif(os.name == "nt", reason="an open file can be neither removed nor replaced there")
def test_another_file_in_the_place_of_the_catalogue_is_read_anew(tmp_path):
    """One of as many writes was taken for the first: tools that only it knows were always offered."""
    from langchain.agents import create_agent
    from langchain_fourfold.middleware import FourfoldToolSelector

    for name, known in (("few", tools()[:1]), ("all", tools())):
        with ToolCatalog(tmp_path / f"{name}.sqlite") as catalog:
            catalog.add_tools(known, schema_edges=False)
    with Retriever(tmp_path / "few.sqlite", read_only=True) as retriever:
        selector = FourfoldToolSelector(ToolCatalog(retriever), limit=2)
        model = Model(messages=iter([AIMessage("Deployed."), AIMessage("Again.")]), offered=[])
        agent = create_agent(model, tools(), middleware=[selector])
        agent.invoke({"messages": [("user", "deploy to prod")]})
        os.replace(tmp_path / "all.sqlite", tmp_path / "few.sqlite")
        agent.invoke({"messages": [("user", "deploy to prod")]})
    assert len(model.offered[0]) == len(tools()) > len(model.offered[1])
