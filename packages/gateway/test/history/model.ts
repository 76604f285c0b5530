// What a gateway must do, in as few words as possible: groups, grants and changes, without journal or database.

export type Step =
  | { readonly do: 'create'; readonly group: number }
  | { readonly do: 'persona'; readonly group: number; readonly text: string }
  | { readonly do: 'access'; readonly group: number; readonly server: number; readonly tools: readonly string[] }
  | { readonly do: 'revoke'; readonly group: number; readonly server: number; readonly tools: readonly string[] | undefined }
  | { readonly do: 'decide'; readonly change: number; readonly outcome: 'approve' | 'reject'; readonly digest: 'none' | 'shown' | 'wrong' }
  | { readonly do: 'race'; readonly change: number }
  | { readonly do: 'put'; readonly server: number }
  | { readonly do: 'remove'; readonly server: number }
  | { readonly do: 'crash' }
  | { readonly do: 'clock'; readonly by: number }

export type Asking = Extract<Step, { do: 'create' | 'persona' | 'access' | 'revoke' }>

interface Grant {
  tools: readonly string[]
  active: boolean
}

export interface ModelChange {
  readonly asked: Asking
  state: 'refused' | 'held' | 'rejected' | 'applied' | 'apply_failed'
  before: string
}

export interface Model {
  readonly personas: Map<number, string>
  readonly grants: Map<string, Grant>
  readonly servers: Set<number>
  readonly changes: ModelChange[]
}

export const emptyModel = (): Model => ({ personas: new Map(), grants: new Map(), servers: new Set(), changes: [] })

const place = (asked: { group: number; server: number }): string => `${asked.group}/${asked.server}`

const activeGrant = (model: Model, asked: { group: number; server: number }): Grant | undefined => {
  const grant = model.grants.get(place(asked))
  return grant?.active === true ? grant : undefined
}

const slice = (model: Model, asked: Asking): string => {
  if (asked.do === 'create') return 'null'
  if (asked.do === 'persona') return JSON.stringify(model.personas.get(asked.group))
  return JSON.stringify(activeGrant(model, asked)?.tools ?? null)
}

const refuses = (model: Model, asked: Asking): boolean => {
  if (asked.do === 'create') return model.personas.has(asked.group)
  if (asked.do === 'persona') return false
  if (asked.do === 'access') return !model.servers.has(asked.server)
  const grant = activeGrant(model, asked)
  if (grant === undefined) return true
  return asked.tools !== undefined && !asked.tools.some((tool) => grant.tools.includes(tool))
}

const apply = (model: Model, asked: Asking): void => {
  if (asked.do === 'create') model.personas.set(asked.group, '')
  if (asked.do === 'persona') model.personas.set(asked.group, asked.text)
  if (asked.do === 'access') model.grants.set(place(asked), { tools: asked.tools, active: true })
  if (asked.do !== 'revoke') return
  const grant = model.grants.get(place(asked))
  if (grant === undefined) return
  const left = asked.tools === undefined ? [] : grant.tools.filter((tool) => asked.tools?.includes(tool) !== true)
  model.grants.set(place(asked), left.length === 0 ? { ...grant, active: false } : { tools: left, active: true })
}

/** What submitting answers. */
export const modelSubmit = (model: Model, asked: Asking): 'not-found' | 'change-refused' | 'held' => {
  if (asked.do !== 'create' && !model.personas.has(asked.group)) return 'not-found'
  const refused = refuses(model, asked)
  model.changes.push({ asked, state: refused ? 'refused' : 'held', before: slice(model, asked) })
  return refused ? 'change-refused' : 'held'
}

/** What deciding answers: a state or a code. */
export const modelDecide = (model: Model, change: ModelChange, step: { outcome: 'approve' | 'reject'; digest: string }): string => {
  if (change.state !== 'held') return 'change-already-decided'
  if (step.digest === 'wrong') return 'digest-mismatch'
  if (step.outcome === 'reject') {
    change.state = 'rejected'
    return change.state
  }
  const now = slice(model, change.asked)
  const moved = now !== change.before
  change.before = now
  if (moved && step.digest === 'shown') return 'change-stale'
  change.state = refuses(model, change.asked) ? 'apply_failed' : 'applied'
  if (change.state === 'applied') apply(model, change.asked)
  return change.state
}

export const modelAllows = (model: Model, asked: { group: number; server: number; tool: string }): boolean => {
  const grant = activeGrant(model, asked)
  return grant !== undefined && (grant.tools.length === 0 || grant.tools.includes(asked.tool))
}
