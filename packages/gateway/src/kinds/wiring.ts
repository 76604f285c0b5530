// An address of a channel that leads to a group, and when the agent speaks up there; or the end of it.
import { type After, boundedPattern, type Failure, kinds, limits, WiringTerms } from '@gatehouse/contracts'
import { RE2JS } from 're2js'
import * as v from 'valibot'
import { type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { quote } from '../text.ts'
import { audienceEvidence, audienceOf } from './audience.ts'
import { type Terms, wiringTerms } from './terms.ts'
import { defineKind } from './kind.ts'

type Wiring = After<'wiring'>
type Place = Pick<Terms, 'channel' | 'address'>

const [, Removal] = kinds.wiring.options

/** One of two shapes, told apart before they are read, so that what is wrong is named by its field. */
const schema = v.lazy((input): typeof WiringTerms | typeof Removal =>
  typeof input === 'object' && input !== null && 'remove' in input ? Removal : WiringTerms,
)

const placeOf = (after: Wiring): Place => ('remove' in after ? after.remove : after)
const at = ({ channel, address }: Place): string => `${channel} ${quote(address)}`

const wiredAt = (world: ChangeContext, { channel, address }: Place) =>
  world.wirings.find((wired) => wired.channel === channel && wired.address === address)

const ownAt = (world: ChangeContext, place: Place): Terms | undefined => {
  const wired = wiredAt(world, place)
  return wired?.agentGroupID === world.agentGroupID ? wiringTerms(wired) : undefined
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

const removalFailure = (place: Place, world: ChangeContext): Failure | undefined =>
  ownAt(world, place) === undefined
    ? {
        rule: 'not-wired',
        reason: `expected an address that leads to ${world.agentGroupID}, got ${at(place)}, which does not: list the wirings`,
      }
    : undefined

const takenFailure = (place: Place, world: ChangeContext): Failure | undefined => {
  const other = wiredAt(world, place)
  return other === undefined || other.agentGroupID === world.agentGroupID
    ? undefined
    : {
        rule: 'address-taken',
        reason: `expected an address that leads nowhere, but ${at(place)} leads to another group: its wiring must be removed first`,
      }
}

/** What a pattern fits is not tried here: one that never comes to an end would stop the gateway. */
const mayHearAll = ({ engage }: Terms): boolean => engage !== 'mention'

const why = (after: Wiring, world: ChangeContext): string[] =>
  !('remove' in after) && mayHearAll(after) && presentGroup(world).members.length === 0
    ? ['Everybody who can write to this address can give the agent orders: it has no members, so nobody is kept out.']
    : []

const sessions = { shared: 'one session for all', thread: 'a session a thread', person: 'a session a person' } as const
const engagements = { all: 'answers everything', mention: 'answers when mentioned', pattern: 'answers what fits' } as const

const describe = (after: Wiring, world: ChangeContext): string => {
  if ('remove' in after) return `Takes ${at(after.remove)} from ${world.agentGroupID}`
  const fits = after.pattern === undefined ? '' : ` ${quote(after.pattern)}`
  const heard = audienceOf(after.channel, presentGroup(world))
  return `Leads ${at(after)} to ${world.agentGroupID}, which hears ${heard} and ${engagements[after.engage]}${fits}, with ${sessions[after.session]}`
}

export const wiring = defineKind({
  name: 'wiring',
  schema,
  narrowing: false,
  target: 'existing',
  subject: (after) => `${placeOf(after).channel} ${placeOf(after).address}`,
  slice: (after, world) => ownAt(world, placeOf(after)) ?? null,
  outcome: (after) => ('remove' in after ? null : after),
  verify: (after, { world }) =>
    'remove' in after ? removalFailure(after.remove, world) : (takenFailure(after, world) ?? patternFailure(after)),
  wants: (after, world) =>
    'remove' in after ? undefined : { from: 'change', evidence: audienceEvidence([placeOf(after)], presentGroup(world)) },
  onlyTakes: (after) => 'remove' in after,
  risk: (after, { world }) => (why(after, world).length > 0 ? 'high' : 'medium'),
  why: (after, { world }) => why(after, world),
  describe,
  apply: (after, { world }, { changeID }) =>
    'remove' in after
      ? { type: 'unwired', ...after.remove }
      : { type: 'wired', wired: { ...after, agentGroupID: world.agentGroupID, changeID } },
  invert: (after, before) => {
    const { channel, address } = placeOf(after)
    return { kind: 'wiring', after: before ?? { remove: { channel, address } } }
  },
})
