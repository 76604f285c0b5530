// Reads what is asked for, and what it would do to the world as it is: the same for what is kept and for what is only tried.
import { AgentGroupID, type Failure, type Kind, limits, ServiceError, Submission } from '@gatehouse/contracts'
import * as v from 'valibot'
import { invalid, parse } from '../input/parse.ts'
import { spellMember } from '../catalog/spelling.ts'
import { bind, kindTable, readKind } from '../kinds/index.ts'
import type { Bound } from '../kinds/kind.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { unknownGroup } from '../principals/scope.ts'
import type { World } from '../registry/world.ts'
import type { Draft } from './draft.ts'
import { judge, type JudgeDeps, look } from './judge.ts'
import type { Actor } from './lines.ts'
import { verify } from './verify.ts'

export interface ExamineDeps extends JudgeDeps {
  readonly ledger: Ledger
}

/** Who asks. `by` is the label under which the change is shown. */
export interface Asker extends Actor {
  readonly by: string
  /** The kinds that it may ask for; undefined for all. */
  readonly kinds?: readonly Kind[]
}

export interface Asked {
  readonly bound: Bound
  readonly world: World
  readonly draft: Draft
  readonly reason: string | undefined
  /** Why the verifier refuses it. */
  readonly failure: Failure | undefined
}

const assertMayAsk = (asker: Asker, kind: Kind): void => {
  if (asker.kinds === undefined || asker.kinds.includes(kind)) return
  throw new ServiceError('forbidden', {
    detail: `expected one of the kinds that an agent may ask for (${asker.kinds.join(', ')}), got ${kind}`,
    hint: 'ask a person to submit this change',
  })
}

const assertSize = (bound: Bound): void => {
  const size = Buffer.byteLength(JSON.stringify(bound.after))
  if (size > limits.after) throw new ServiceError('too-large', { detail: `expected at most ${limits.after} bytes of after, got ${size}` })
}

const readTarget = (id: string): AgentGroupID => {
  const result = v.safeParse(AgentGroupID, id)
  if (!result.success) throw unknownGroup()
  return result.output
}

const assertTarget = (bound: Bound, world: World): void => {
  if (bound.target === 'existing' && world.group === undefined) throw unknownGroup()
  if (bound.target === 'new' && bound.after['id'] !== world.agentGroupID) {
    throw invalid([{ pointer: '/agentGroupID', detail: 'expected the id of the new group, as in /after/id' }])
  }
}

/** May wait for a witness. */
export const examine = async (deps: ExamineDeps, asker: Asker, submission: Submission): Promise<Asked> => {
  const kind = readKind(submission.kind)
  assertMayAsk(asker, kind)
  const bound = bind(kind, await spellMember(deps, submission.after, kindTable[kind].server), deps.secrets)
  assertSize(bound)
  const reason = parse(Submission.entries.reason, submission.reason, '/reason')
  const target = readTarget(submission.agentGroupID)
  await deps.ledger.settle()
  const seen = await look(deps, target, asker.principal)
  assertTarget(bound, seen)
  const { draft, world, sight } = await judge(deps, bound, seen)
  if (draft === undefined) throw unknownGroup()
  const verdict = verify({ bound, sight, decisions: [] })
  return { bound, world, draft, reason, failure: verdict.outcome === 'refused' ? verdict.failure : undefined }
}
