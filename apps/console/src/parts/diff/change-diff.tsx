// What a change alters, in the way that suits its kind; the exact difference is always one step away.
import { type Change, type Evidence, kinds, McpAccess, PackageName, type Wiring, WiringTerms } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import * as v from 'valibot'
import { Fold } from '../fold.tsx'
import { AccessDiff, type Terms } from './access.tsx'
import { EntryDiff } from './entry.tsx'
import { ExactDiff } from './exact.tsx'
import { GoneGroup, NewGroup } from './group.tsx'
import { readAs } from './kind-of.ts'
import { MountsDiff } from './mounts.tsx'
import { PackagesDiff } from './packages.tsx'
import { PermissionsDiff } from './permissions.tsx'
import { PersonaDiff } from './persona.tsx'
import { ToolsDiff } from './tools.tsx'
import { WiringDiff } from './wiring.tsx'

interface Given {
  readonly change: Change
  readonly evidence: Evidence | null
}

const Grant = v.object(McpAccess.entries)
const Installed = v.object({ npm: v.array(PackageName) })

const persona = ({ change }: Given) => {
  const after = readAs(kinds.persona, change.after)
  return after && <PersonaDiff before={readAs(kinds.persona, change.before)?.instructions ?? ''} after={after.instructions} />
}

const tools = ({ change }: Given) => {
  const after = readAs(kinds.tools, change.after)
  const before = readAs(kinds.tools, change.before)?.enabled ?? []
  const always = ['send_message', 'request_capability_change']
  return after && <ToolsDiff before={before} after={[...after.enabled, ...always.filter((name) => before.some((had) => had === name))]} />
}

const access = ({ change, evidence }: Given) => {
  const after = readAs(Grant, change.after)
  return after && <AccessDiff before={readAs(Grant, change.before) ?? null} after={after} evidence={evidence} />
}

/** A grant that loses its last tool ends. */
const remainder = (before: Terms | undefined, gone: readonly string[] | undefined): Terms | null => {
  const tools = before === undefined || gone === undefined ? [] : before.tools.filter((tool) => !gone.includes(tool))
  return before === undefined || tools.length === 0 ? null : { ...before, tools }
}

const revocation = ({ change, evidence }: Given) => {
  const after = readAs(kinds.mcp_revoke, change.after)
  const before = readAs(Grant, change.before)
  return after && before && <AccessDiff before={before} after={remainder(before, after.tools)} evidence={evidence} />
}

const registration = ({ change }: Given) => {
  const after = readAs(kinds.mcp_register, change.after)
  if (after === undefined) return undefined
  const { name, ...entry } = after
  return <EntryDiff name={name} entry={entry} />
}

const mounts = ({ change, evidence }: Given) => {
  const after = readAs(kinds.mounts, change.after)
  return after && <MountsDiff before={readAs(kinds.mounts, change.before)?.mounts ?? []} after={after.mounts} evidence={evidence} />
}

const packages = ({ change, evidence }: Given) => {
  const after = readAs(Installed, change.after)
  return after && <PackagesDiff before={readAs(Installed, change.before)?.npm ?? []} after={after.npm} evidence={evidence} />
}

const permissions = ({ change }: Given) => {
  const after = readAs(kinds.permissions, change.after)
  return after && <PermissionsDiff before={readAs(kinds.permissions, change.before) ?? {}} after={after} />
}

const wired = (value: unknown): v.InferOutput<typeof WiringTerms> | null => readAs(WiringTerms, value) ?? null

const wiring = ({ change }: Given) => {
  const after: v.InferOutput<typeof Wiring> | undefined = readAs(kinds.wiring, change.after)
  return after && <WiringDiff before={wired(change.before)} after={'remove' in after ? null : after} />
}

const creation = ({ change }: Given) => {
  const after = readAs(kinds.agent_create, change.after)
  return after && <NewGroup group={after} />
}

const views: Readonly<Record<Change['kind'], (given: Given) => ComponentChildren>> = {
  agent_create: creation,
  agent_remove: ({ change }) => <GoneGroup name={change.agentGroupID} />,
  persona,
  tools,
  packages,
  wiring,
  permissions,
  mounts,
  mcp_access: access,
  mcp_revoke: revocation,
  mcp_register: registration,
}

export const ChangeDiff = ({ change, evidence }: Given) => {
  const view = views[change.kind]({ change, evidence })
  return (
    <>
      {view}
      <Fold class="exactly" open={view === undefined} summary="The exact difference">
        {() => <ExactDiff change={change} />}
      </Fold>
    </>
  )
}
