"""Play each role of The Double Agent by another agent."""

from pydantic import ConfigDict, InstanceOf, validate_call

from agents import roles
from agents.agent import Agent
from kgb_env import Game


class RolesAgent(roles.RolesAgent):
    """Ask one agent where it is the Double Agent, and another one where it is a Security Agent.

    Args:
        game: The Double Agent with any options.
        double_agent: who plays the Double Agent: an agent, or a text such as ``rate(p=0.3)``.
        security_agent: who plays the Security Agents.

    Raises:
        AgentError: there is no such agent, or it has a memory.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(
        self, game: InstanceOf[Game], *, double_agent: Agent | str = "naive", security_agent: Agent | str = "naive"
    ) -> None:
        super().__init__(game, double_agent=double_agent, security_agent=security_agent)
