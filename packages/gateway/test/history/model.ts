// What a gateway must do, in as few words as possible: without journal, database, locks or time that passes by itself.

interface At {
  readonly group: number
}
export interface AtServer extends At {
  readonly server: number
}
export type Asking =
  | ({ readonly do: 'create' | 'remove' } & At)
  | ({ readonly do: 'persona'; readonly text: string } & At)
  | ({ readonly do: 'tools'; readonly enabled: string } & At)
  | ({ readonly do: 'wire' | 'unwire'; readonly address: number } & At)
  | ({ readonly do: 'access'; readonly tools: readonly string[]; readonly maxCalls: number | undefined } & AtServer)
  | ({ readonly do: 'revoke'; readonly tools: readonly string[] | undefined } & AtServer)

export type Person = 'admin' | 'ann'

export interface Judgement {
  readonly by: Person
  readonly outcome: 'approve' | 'reject'
  readonly digest: 'none' | 'shown' | 'wrong'
}

interface Grant {
  readonly tools: readonly string[]
  readonly maxCalls: number | undefined
  active: boolean
  calls: number
}

export interface ModelChange {
  readonly asked: Asking
  readonly by: Person
  readonly expiresAt: number
  state: 'refused' | 'held' | 'rejected' | 'withdrawn' | 'expired' | 'approved' | 'applied' | 'apply_failed'
  before: string
  /** Who approved it last, and with which of ann's tokens. */
  approval?: { readonly by: Person; readonly token: number; readonly at: number }
}

export const ttl = 100_000

export interface Model {
  readonly groups: Map<number, { persona: string; tools: string }>
  readonly wirings: Map<number, number>
  readonly grants: Map<string, Grant>
  readonly servers: Set<number>
  readonly changes: ModelChange[]
  frozen: boolean
  now: number
  /** How often ann was given a new token: what an earlier one approved counts no more. */
  token: number
  /** When ann was given the present one: what a clock that began anew puts before that is not hers. */
  tokenAt: number
}

export const emptyModel = (now: number, tokenAt: number): Model => ({
  groups: new Map(),
  wirings: new Map(),
  grants: new Map(),
  servers: new Set(),
  changes: [],
  frozen: false,
  now,
  token: 0,
  tokenAt,
})

const key = ({ group, server }: AtServer): string => `${group}/${server}`

const activeGrant = (model: Model, at: AtServer): Grant | undefined => {
  const grant = model.grants.get(key(at))
  return grant?.active === true ? grant : undefined
}

const grantsOf = (model: Model, group: number) => [...model.grants].filter(([name, { active }]) => active && name.startsWith(`${group}/`))
const terms = (grant: Grant | undefined): unknown => (grant === undefined ? null : [grant.tools, grant.maxCalls])

const slice = (model: Model, asked: Asking): string => {
  const group = model.groups.get(asked.group)
  switch (asked.do) {
    case 'create':
      return 'null'
    case 'remove': {
      const wired = [...model.wirings].filter(([, owner]) => owner === asked.group).map(([address]) => address)
      const held = grantsOf(model, asked.group).map(([name, grant]) => [name, terms(grant)])
      return JSON.stringify([group, held.map(String), wired.map(String).toSorted()])
    }
    case 'persona':
      return JSON.stringify(group?.persona)
    case 'tools':
      return JSON.stringify(group?.tools)
    case 'wire':
    case 'unwire':
      return JSON.stringify(model.wirings.get(asked.address) === asked.group)
    default:
      return JSON.stringify(terms(activeGrant(model, asked)))
  }
}

const refuses = (model: Model, asked: Asking): boolean => {
  if (asked.do === 'create') return model.groups.has(asked.group)
  if (!model.groups.has(asked.group)) return true
  if (asked.do === 'wire') return (model.wirings.get(asked.address) ?? asked.group) !== asked.group
  if (asked.do === 'unwire') return model.wirings.get(asked.address) !== asked.group
  if (asked.do === 'access') return !model.servers.has(asked.server)
  if (asked.do !== 'revoke') return false
  const grant = activeGrant(model, asked)
  if (grant === undefined) return true
  return asked.tools !== undefined && !asked.tools.some((tool) => grant.tools.includes(tool))
}

const revoke = (model: Model, asked: Extract<Asking, { do: 'revoke' }>): void => {
  const grant = activeGrant(model, asked)
  if (grant === undefined) return
  const left = asked.tools === undefined ? [] : grant.tools.filter((tool) => asked.tools?.includes(tool) !== true)
  model.grants.set(key(asked), left.length === 0 ? { ...grant, active: false } : { ...grant, tools: left })
}

const remove = (model: Model, group: number): void => {
  model.groups.delete(group)
  for (const [address, owner] of model.wirings) if (owner === group) model.wirings.delete(address)
  for (const name of model.grants.keys()) if (name.startsWith(`${group}/`)) model.grants.delete(name)
}

const apply = (model: Model, asked: Asking): void => {
  const group = model.groups.get(asked.group)
  if (asked.do === 'create') model.groups.set(asked.group, { persona: '', tools: 'default' })
  else if (asked.do === 'remove') remove(model, asked.group)
  else if (asked.do === 'wire') model.wirings.set(asked.address, asked.group)
  else if (asked.do === 'unwire') model.wirings.delete(asked.address)
  else if (asked.do === 'access') model.grants.set(key(asked), { tools: asked.tools, maxCalls: asked.maxCalls, active: true, calls: 0 })
  else if (asked.do === 'revoke') revoke(model, asked)
  else if (group === undefined) return
  else if (asked.do === 'persona') model.groups.set(asked.group, { ...group, persona: asked.text })
  else if (asked.do === 'tools') model.groups.set(asked.group, { ...group, tools: asked.enabled })
}

/** What submitting answers. */
export const modelSubmit = (model: Model, asked: Asking, by: Person): 'not-found' | 'change-refused' | 'held' => {
  if (asked.do !== 'create' && !model.groups.has(asked.group)) return 'not-found'
  const refused = refuses(model, asked)
  const state = refused ? 'refused' : 'held'
  model.changes.push({ asked, by, state, before: slice(model, asked), expiresAt: model.now + ttl })
  return refused ? 'change-refused' : 'held'
}

/** Whoever looks at it next finds it so. */
export const expire = (model: Model, change: ModelChange): void => {
  if (change.state === 'held' && change.expiresAt <= model.now) change.state = 'expired'
}

/** It gives nothing that the group has not. */
const onlyTakes = (model: Model, asked: Asking): boolean => {
  if (asked.do === 'tools') return ['default', asked.enabled].includes(model.groups.get(asked.group)?.tools ?? '')
  return asked.do === 'revoke' || asked.do === 'unwire'
}

const stands = (model: Model, { approval }: ModelChange): boolean =>
  approval?.by !== 'ann' || (approval.token === model.token && model.tokenAt <= approval.at)

const carryOut = (model: Model, change: ModelChange): void => {
  const isGone = change.asked.do !== 'create' && !model.groups.has(change.asked.group)
  if (change.state !== 'approved' || (model.frozen && (isGone || !onlyTakes(model, change.asked)))) return
  if (!stands(model, change)) {
    change.state = 'held'
    return
  }
  const gone = change.asked.do !== 'create' && !model.groups.has(change.asked.group)
  const stale = !gone && slice(model, change.asked) !== change.before
  change.state = refuses(model, change.asked) || stale ? 'apply_failed' : 'applied'
  if (change.state === 'applied') apply(model, change.asked)
}

const isUnapplied = ({ state }: ModelChange): boolean => ['held', 'approved', 'apply_failed'].includes(state)

/** What deciding answers: a state or a code. */
export const modelDecide = (model: Model, change: ModelChange, step: Judgement): string => {
  expire(model, change)
  if (change.state !== 'held' && (step.outcome === 'approve' || !isUnapplied(change))) return 'change-already-decided'
  if (step.digest === 'wrong') return 'digest-mismatch'
  if (step.outcome === 'reject') return (change.state = 'rejected')
  if (step.by === change.by && step.by !== 'admin' && change.asked.do !== 'revoke') return 'self-approval'
  const gone = change.asked.do !== 'create' && !model.groups.has(change.asked.group)
  const now = gone ? change.before : slice(model, change.asked)
  const moved = now !== change.before
  change.before = now
  if (moved && step.digest === 'shown') return 'change-stale'
  change.state = 'approved'
  change.approval = { by: step.by, token: model.token, at: model.now }
  carryOut(model, change)
  return change.state
}

export const modelWithdraw = (model: Model, change: ModelChange, by: Person): string => {
  expire(model, change)
  if (change.by !== by) return 'forbidden'
  return isUnapplied(change) ? (change.state = 'withdrawn') : 'change-already-decided'
}

export const modelRetry = (model: Model, change: ModelChange): string => {
  if (change.state !== 'apply_failed') return 'conflict'
  change.state = 'approved'
  carryOut(model, change)
  return change.state
}

/** In the order of their ids. */
export const modelUnfreeze = (model: Model): void => {
  model.frozen = false
  for (const change of model.changes) carryOut(model, change)
}

export const modelCall = (model: Model, at: AtServer & { tool: string }): boolean => {
  const grant = activeGrant(model, at)
  const allowed =
    !model.frozen &&
    grant !== undefined &&
    grant.calls < (grant.maxCalls ?? Infinity) &&
    (grant.tools.length === 0 || grant.tools.includes(at.tool))
  if (allowed) grant.calls += 1
  return allowed
}
