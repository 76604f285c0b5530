// How each kind of change is undone, and what its revert does not bring back.
import { type Change, kinds } from '@gatehouse/contracts'

export const undoTexts: Readonly<Partial<Record<Change['kind'], string>>> = {
  agent_create: 'Undo: remove the group. What it did until then is not undone.',
  agent_remove:
    'Partly undone by a revert: it restores id, name, agent, instructions and model. Grants, built-in tools, channels, members, limits, mounts and packages are not restored. Files are kept for 7 days.',
  persona: 'Undo: a revert restores the previous instructions. Answers given until then stay.',
  tools: 'Undo: a revert restores the previous built-in tools. Actions taken with them are not undone.',
  packages: 'Undo: a revert restores the previous packages. What their code did is not undone.',
  wiring: 'Undo: a revert restores the previous connection. Messages exchanged until then stay.',
  permissions: 'Undo: a revert restores the previous values. Tokens that were spent are not returned.',
  mounts: 'Undo: a revert restores the previous mounts. Data written to a mount stays.',
  mcp_access: 'Undo: a revert restores the previous grant. Calls made until then are not undone.',
  mcp_revoke: 'Undo: a revert grants the tools again, as a new change that is decided on its own.',
  mcp_register: 'Cannot be reverted: an admin removes the server from the catalog. It grants nothing by itself.',
}

export const isRevertible = (change: Pick<Change, 'state' | 'kind'>): boolean => change.state === 'applied' && kinds[change.kind].revertible
