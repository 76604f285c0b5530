// Kind `wiring`: routes a channel address to a group, with the rule for when the agent answers, or removes such a route.
import { type After, boundedPattern, type Failure, kinds, limits, WiringTerms } from '@gatehouse/contracts'
import { RE2JS } from 're2js'
import * as v from 'valibot'
import { unitLocks } from '../state/lock.ts'
import { type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { quote } from '../text.ts'
import { audienceEvidence, describeAudience, type Terms, wiringTerms } from './terms.ts'
import { defineKind } from './kind.ts'

type Wiring = After<'wiring'>
type Place = Pick<Terms, 'channel' | 'address'>

const [, Removal] = kinds.wiring.schema.options

/** Selects one of two schemas before parsing, so that errors name the wrong field. */
const schema = v.lazy((input): typeof WiringTerms | typeof Removal =>
  typeof input === 'object' && input !== null && 'remove' in input ? Removal : WiringTerms,
)

const getPlace = (after: Wiring): Place => ('remove' in after ? after.remove : after)
const describePlace = ({ channel, address }: Place): string => `${channel} ${quote(address)}`

const findWiring = (context: ChangeContext, { channel, address }: Place) =>
  context.wirings.find((wired) => wired.channel === channel && wired.address === address)

const findOwnTerms = (context: ChangeContext, place: Place): Terms | undefined => {
  const wired = findWiring(context, place)
  return wired?.agentGroupID === context.agentGroupID ? wiringTerms(wired) : undefined
}

/** Whether the channels can compile the pattern. It is never run here. */
const isPattern = (pattern: string): boolean => boundedPattern(pattern, (text) => RE2JS.compile(text)) !== null

const patternFailure = ({ engage, pattern }: Terms): Failure | undefined => {
  if (engage === 'pattern' && pattern === undefined)
    return {
      rule: 'pattern-missing',
      reason: 'engage "pattern" needs a pattern: add one, or use engage "mention" or "all"',
    }
  if (engage !== 'pattern' && pattern !== undefined)
    return {
      rule: 'pattern-unexpected',
      reason: `engage "${engage}" does not use a pattern: omit it, or use engage "pattern"`,
    }
  return pattern === undefined || isPattern(pattern)
    ? undefined
    : {
        rule: 'pattern-invalid',
        reason: `the pattern ${quote(pattern)} is not an RE2 regular expression of at most ${limits.channelPatternSteps} steps with its repeats expanded: correct it, without look-around and back-references`,
      }
}

const removalFailure = (place: Place, context: ChangeContext): Failure | undefined =>
  findOwnTerms(context, place) === undefined
    ? {
        rule: 'not-wired',
        reason: `${describePlace(place)} is not routed to ${context.agentGroupID}: list the wirings`,
      }
    : undefined

const takenFailure = (place: Place, context: ChangeContext): Failure | undefined => {
  const other = findWiring(context, place)
  return other === undefined || other.agentGroupID === context.agentGroupID
    ? undefined
    : {
        rule: 'address-taken',
        reason: `${describePlace(place)} is already routed to another group: remove that wiring first`,
      }
}

/** Every pattern counts as matching all messages: it is not evaluated here. */
const mayAnswerAll = ({ engage }: Terms): boolean => engage !== 'mention'

const why = (after: Wiring, context: ChangeContext): string[] =>
  !('remove' in after) && mayAnswerAll(after) && presentGroup(context).members.length === 0
    ? ['The group has no members, so anyone who can write to this address can instruct the agent.']
    : []

const sessions = { shared: 'one shared session', thread: 'one session per thread', person: 'one session per person' } as const
const engagements = { all: 'answers every message', mention: 'answers when mentioned', pattern: 'answers messages that match' } as const

const describe = (after: Wiring, context: ChangeContext): string => {
  if ('remove' in after) return `Stops routing ${describePlace(after.remove)} to ${context.agentGroupID}`
  const pattern = after.pattern === undefined ? '' : ` ${quote(after.pattern)}`
  const audience = describeAudience(after.channel, presentGroup(context))
  return `Routes ${describePlace(after)} to ${context.agentGroupID}: ${audience} can message it; it ${engagements[after.engage]}${pattern}; ${sessions[after.session]}`
}

export const wiring = defineKind('wiring', {
  schema,
  target: 'existing',
  needsRelaunch: false,
  serializedBy: unitLocks.wirings,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: (after) => 'remove' in after,
  subject: (after) => `${getPlace(after).channel} ${getPlace(after).address}`,
  slice: (after, context) => findOwnTerms(context, getPlace(after)) ?? null,
  outcome: (after) => ('remove' in after ? null : after),
  verify: (after, { context }) =>
    'remove' in after ? removalFailure(after.remove, context) : (takenFailure(after, context) ?? patternFailure(after)),
  requiredEvidence: (after, context) =>
    'remove' in after ? undefined : { from: 'change', evidence: audienceEvidence([getPlace(after)], presentGroup(context)) },
  risk: (after, { context }) => (why(after, context).length > 0 ? 'high' : 'medium'),
  why: (after, { context }) => why(after, context),
  describe,
  apply: (after, { context }, { changeID }) =>
    'remove' in after
      ? { type: 'unwired', ...after.remove }
      : { type: 'wired', wired: { ...after, agentGroupID: context.agentGroupID, changeID } },
  invert: (after, before) => {
    const { channel, address } = getPlace(after)
    return { kind: 'wiring', after: before ?? { remove: { channel, address } } }
  },
})
