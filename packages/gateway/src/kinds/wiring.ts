// An address of a channel that leads to a group, and when the agent speaks up there; or the end of it.
import { type After, boundedPattern, type Failure, kinds, limits, WiringTerms } from '@gatehouse/contracts'
import { RE2JS } from 're2js'
import * as v from 'valibot'
import { unitLocks } from '../state/lock.ts'
import { type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { quote } from '../text.ts'
import { audienceEvidence, audienceOf } from './audience.ts'
import { type Terms, wiringTerms } from './terms.ts'
import { defineKind } from './kind.ts'

type Wiring = After<'wiring'>
type Place = Pick<Terms, 'channel' | 'address'>

const [, Removal] = kinds.wiring.schema.options

/** One of two shapes, told apart before they are read, so that what is wrong is named by its field. */
const schema = v.lazy((input): typeof WiringTerms | typeof Removal =>
  typeof input === 'object' && input !== null && 'remove' in input ? Removal : WiringTerms,
)

const placeOf = (after: Wiring): Place => ('remove' in after ? after.remove : after)
const at = ({ channel, address }: Place): string => `${channel} ${quote(address)}`

const wiredAt = (context: ChangeContext, { channel, address }: Place) =>
  context.wirings.find((wired) => wired.channel === channel && wired.address === address)

const ownAt = (context: ChangeContext, place: Place): Terms | undefined => {
  const wired = wiredAt(context, place)
  return wired?.agentGroupID === context.agentGroupID ? wiringTerms(wired) : undefined
}

/** As the channels read it. Never run here. */
const isPattern = (pattern: string): boolean => boundedPattern(pattern, (text) => RE2JS.compile(text)) !== null

const patternFailure = ({ engage, pattern }: Terms): Failure | undefined => {
  if (engage === 'pattern' && pattern === undefined)
    return {
      rule: 'pattern-missing',
      reason: 'expected a pattern with engage "pattern", got none: add one, or engage on "mention" or "all"',
    }
  if (engage !== 'pattern' && pattern !== undefined)
    return {
      rule: 'pattern-unexpected',
      reason: `expected no pattern with engage "${engage}", got one: leave it out, or engage on "pattern"`,
    }
  return pattern === undefined || isPattern(pattern)
    ? undefined
    : {
        rule: 'pattern-invalid',
        reason: `expected a regular expression of RE2, without look-around and back-references and of at most ${limits.channelPatternSteps} steps with its repeats unfolded, got ${quote(pattern)}: correct it`,
      }
}

const removalFailure = (place: Place, context: ChangeContext): Failure | undefined =>
  ownAt(context, place) === undefined
    ? {
        rule: 'not-wired',
        reason: `expected an address that leads to ${context.agentGroupID}, got ${at(place)}, which does not: list the wirings`,
      }
    : undefined

const takenFailure = (place: Place, context: ChangeContext): Failure | undefined => {
  const other = wiredAt(context, place)
  return other === undefined || other.agentGroupID === context.agentGroupID
    ? undefined
    : {
        rule: 'address-taken',
        reason: `expected an address that leads nowhere, but ${at(place)} leads to another group: its wiring must be removed first`,
      }
}

/** What a pattern fits is not tried here: one that never comes to an end would stop the gateway. */
const mayHearAll = ({ engage }: Terms): boolean => engage !== 'mention'

const why = (after: Wiring, context: ChangeContext): string[] =>
  !('remove' in after) && mayHearAll(after) && presentGroup(context).members.length === 0
    ? ['Everybody who can write to this address can give the agent orders: it has no members, so nobody is kept out.']
    : []

const sessions = { shared: 'one session for all', thread: 'a session a thread', person: 'a session a person' } as const
const engagements = { all: 'answers everything', mention: 'answers when mentioned', pattern: 'answers what fits' } as const

const describe = (after: Wiring, context: ChangeContext): string => {
  if ('remove' in after) return `Takes ${at(after.remove)} from ${context.agentGroupID}`
  const fits = after.pattern === undefined ? '' : ` ${quote(after.pattern)}`
  const heard = audienceOf(after.channel, presentGroup(context))
  return `Leads ${at(after)} to ${context.agentGroupID}, which hears ${heard} and ${engagements[after.engage]}${fits}, with ${sessions[after.session]}`
}

export const wiring = defineKind('wiring', {
  schema,
  target: 'existing',
  needsRelaunch: false,
  serializedBy: unitLocks.wirings,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: (after) => 'remove' in after,
  subject: (after) => `${placeOf(after).channel} ${placeOf(after).address}`,
  slice: (after, context) => ownAt(context, placeOf(after)) ?? null,
  outcome: (after) => ('remove' in after ? null : after),
  verify: (after, { context }) =>
    'remove' in after ? removalFailure(after.remove, context) : (takenFailure(after, context) ?? patternFailure(after)),
  requiredEvidence: (after, context) =>
    'remove' in after ? undefined : { from: 'change', evidence: audienceEvidence([placeOf(after)], presentGroup(context)) },
  risk: (after, { context }) => (why(after, context).length > 0 ? 'high' : 'medium'),
  why: (after, { context }) => why(after, context),
  describe,
  apply: (after, { context }, { changeID }) =>
    'remove' in after
      ? { type: 'unwired', ...after.remove }
      : { type: 'wired', wired: { ...after, agentGroupID: context.agentGroupID, changeID } },
  invert: (after, before) => {
    const { channel, address } = placeOf(after)
    return { kind: 'wiring', after: before ?? { remove: { channel, address } } }
  },
})
