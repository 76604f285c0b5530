// What Telegram's refusals mean to us. Its own words stay here, and so do the client's errors: they hold what people wrote,
// and their causes the token.
import { limits } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import { GrammyError, HttpError } from 'grammy/web'
import { ChannelFault, SendFailure } from '../channel.ts'

/** An error that may be logged. */
const bare = (error: unknown): Error => {
  if (error instanceof GrammyError) return new Error(`Telegram answered ${error.method} with ${error.error_code}`)
  const inner = error instanceof HttpError ? error.error : error
  if (inner instanceof OutboundFailure) return inner
  const code = inner instanceof Error && 'code' in inner && typeof inner.code === 'string' ? inner.code : 'no answer that can be read'
  return new Error(`Telegram was not reached: ${code}`)
}

const codeOf = (error: unknown): number => (error instanceof GrammyError ? error.error_code : 0)

/** A token that is malformed is answered as a path that does not exist. */
const isRefusal = (error: unknown): boolean => [401, 404].includes(codeOf(error))

const refused = 'Telegram does not take the token: it was revoked, or is another one'

/** What the server says may be anything. */
const secondsOf = ({ parameters }: GrammyError): number => {
  const given: unknown = parameters.retry_after ?? 1
  const seconds = Number(given)
  return Number.isFinite(seconds) ? seconds : 1
}

/** Milliseconds; undefined where it is not asked. */
export const patienceOf = (error: unknown): number | undefined => {
  if (!(error instanceof GrammyError) || error.error_code !== 429) return undefined
  const seconds = secondsOf(error)
  return Math.min(Math.max(seconds, 1) * 1000, limits.channelRetryMost * 12)
}

export const faultOf = (error: unknown): ChannelFault => {
  if (error instanceof ChannelFault) return error
  if (isRefusal(error)) return new ChannelFault('refused', refused, bare(error))
  if (codeOf(error) === 409)
    return new ChannelFault('away', 'somebody else reads with the same token, or a webhook is set for it', bare(error))
  const inner = error instanceof HttpError ? error.error : error
  return new ChannelFault('away', inner instanceof OutboundFailure ? inner.message : 'Telegram was not reached', bare(error))
}

/** What will not pass by waiting. */
const reasonFor = (error: GrammyError): string | undefined => {
  const { error_code: code, description, parameters } = error
  const moved = parameters.migrate_to_chat_id
  if (moved !== undefined) return `the group has become ${moved}: its wiring must name that`
  if (code === 413) return 'Telegram takes no file that large'
  if (code === 403) return 'the bot was blocked there, or is no member any more'
  if (code !== 400) return undefined
  if (/chat not found/i.test(description)) return 'Telegram knows no such place'
  return /message to edit not found|message can't be edited/i.test(description)
    ? 'it was deleted there, or cannot be edited any more'
    : 'Telegram refused it (400)'
}

/** Telegram takes the message, but not how it is laid out. */
export const isShapeRefused = (error: unknown): boolean =>
  codeOf(error) === 400 && error instanceof GrammyError && /entit|url/i.test(error.description)

export const failureOf = (error: unknown): SendFailure => {
  const cause = bare(error)
  // It does not say whether this place or all of them had too much.
  const after = patienceOf(error)
  if (after !== undefined) return new SendFailure('later', 'Telegram asks for a pause', { after, everywhere: true, cause })
  if (isRefusal(error)) return new SendFailure('later', refused, { after: limits.channelRetryMost, everywhere: true, cause })
  const reason = error instanceof GrammyError ? reasonFor(error) : undefined
  return reason === undefined
    ? new SendFailure('later', 'Telegram did not take it', { cause })
    : new SendFailure('never', reason, { cause })
}
