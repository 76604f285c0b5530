// The difference that a change makes, shown as suits its kind, with the exact difference one click away.
import { type Change, type Evidence, kinds, McpAccess, PackageName, readPointer, type Wiring, WiringTerms } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import * as v from 'valibot'
import { Collapsible, Json, Untrusted } from '../elements.tsx'
import { readAs } from '../read-as.ts'
import { AccessDiff, type Terms } from './access.tsx'
import { EntryDiff } from './fields.tsx'
import { GoneGroup, NewGroup, ToolsDiff, WiringDiff } from './group.tsx'
import { MountsDiff } from './mounts.tsx'
import { PackagesDiff } from './packages.tsx'
import { PermissionsDiff } from './permissions.tsx'
import { PersonaDiff } from './text-diff.tsx'

const valueAt = (document: unknown, pointer: string): unknown =>
  readPointer(pointer).reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    document,
  )

const atOnce = 200

/** The difference as it is applied and digested: every path with its present and its new value. */
const ExactDiff = ({ change }: { readonly change: Pick<Change, 'diff' | 'before'> }) => (
  <div class="exact">
    {change.diff.length === 0 && <p>Nothing changes.</p>}
    {change.diff.slice(0, atOnce).map((operation, index) => (
      <div key={index}>
        <p class="path">
          {operation.op} <code>{operation.path === '' ? 'everything' : <Untrusted text={operation.path} />}</code>
        </p>
        {operation.op !== 'add' && change.before !== null && (
          <div class="gone">
            <Json value={valueAt(change.before, operation.path)} />
          </div>
        )}
        {operation.op !== 'remove' && (
          <div class="new">
            <Json value={operation.value} />
          </div>
        )}
      </div>
    ))}
    {change.diff.length > atOnce && <p class="soft">and {change.diff.length - atOnce} more: svcctl change show prints all</p>}
  </div>
)

interface ViewProps {
  readonly change: Change
  readonly evidence: Evidence | null
}

const Grant = v.object(McpAccess.entries)
const Installed = v.object({ npm: v.array(PackageName) })

const persona = ({ change }: ViewProps) => {
  const after = readAs(kinds.persona.schema, change.after)
  return after && <PersonaDiff before={readAs(kinds.persona.schema, change.before)?.instructions ?? ''} after={after.instructions} />
}

const tools = ({ change }: ViewProps) => {
  const after = readAs(kinds.tools.schema, change.after)
  const before = readAs(kinds.tools.schema, change.before)?.enabled ?? []
  const always = ['send_message', 'request_capability_change']
  return after && <ToolsDiff before={before} after={[...after.enabled, ...always.filter((name) => before.some((had) => had === name))]} />
}

const access = ({ change, evidence }: ViewProps) => {
  const after = readAs(Grant, change.after)
  return after && <AccessDiff before={readAs(Grant, change.before) ?? null} after={after} evidence={evidence} />
}

/** A grant that loses its last tool ends. */
const remainder = (before: Terms | undefined, gone: readonly string[] | undefined): Terms | null => {
  const tools = before === undefined || gone === undefined ? [] : before.tools.filter((tool) => !gone.includes(tool))
  return before === undefined || tools.length === 0 ? null : { ...before, tools }
}

const revocation = ({ change, evidence }: ViewProps) => {
  const after = readAs(kinds.mcp_revoke.schema, change.after)
  const before = readAs(Grant, change.before)
  return after && before && <AccessDiff before={before} after={remainder(before, after.tools)} evidence={evidence} />
}

const registration = ({ change }: ViewProps) => {
  const after = readAs(kinds.mcp_register.schema, change.after)
  if (after === undefined) return undefined
  const { name, ...entry } = after
  return <EntryDiff name={name} entry={entry} />
}

const mounts = ({ change, evidence }: ViewProps) => {
  const after = readAs(kinds.mounts.schema, change.after)
  return after && <MountsDiff before={readAs(kinds.mounts.schema, change.before)?.mounts ?? []} after={after.mounts} evidence={evidence} />
}

const packages = ({ change, evidence }: ViewProps) => {
  const after = readAs(Installed, change.after)
  return after && <PackagesDiff before={readAs(Installed, change.before)?.npm ?? []} after={after.npm} evidence={evidence} />
}

const permissions = ({ change }: ViewProps) => {
  const after = readAs(kinds.permissions.schema, change.after)
  return after && <PermissionsDiff before={readAs(kinds.permissions.schema, change.before) ?? {}} after={after} />
}

const wired = (value: unknown): v.InferOutput<typeof WiringTerms> | null => readAs(WiringTerms, value) ?? null

const wiring = ({ change }: ViewProps) => {
  const after: v.InferOutput<typeof Wiring> | undefined = readAs(kinds.wiring.schema, change.after)
  return after && <WiringDiff before={wired(change.before)} after={'remove' in after ? null : after} />
}

const creation = ({ change }: ViewProps) => {
  const after = readAs(kinds.agent_create.schema, change.after)
  return after && <NewGroup group={after} />
}

const views: Readonly<Record<Change['kind'], (given: ViewProps) => ComponentChildren>> = {
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

export const ChangeDiff = ({ change, evidence }: ViewProps) => {
  const view = views[change.kind]({ change, evidence })
  return (
    <>
      {view}
      <Collapsible class="exactly" open={view === undefined} summary="Exact difference (JSON Patch)">
        {() => <ExactDiff change={change} />}
      </Collapsible>
    </>
  )
}
