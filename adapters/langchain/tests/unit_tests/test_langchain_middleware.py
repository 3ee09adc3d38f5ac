"""The middleware in a real agent: the model sees only the tools found."""

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool

from fourfold import Edge
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
