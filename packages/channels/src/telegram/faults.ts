// Maps errors of Telegram. Its texts and the client's errors never leave this module: they hold messages, and their causes the token.
import { limits } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import { GrammyError, HttpError } from 'grammy/web'
import { ChannelFault, SendFailure } from '../channel.ts'

/** An error that is safe to log. */
const loggableError = (error: unknown): Error => {
  if (error instanceof GrammyError) return new Error(`Telegram answered ${error.method} with ${error.error_code}`)
  const inner = error instanceof HttpError ? error.error : error
  if (inner instanceof OutboundFailure) return inner
  const code = inner instanceof Error && 'code' in inner && typeof inner.code === 'string' ? inner.code : 'invalid response'
  return new Error(`Telegram is unreachable: ${code}`)
}

const codeOf = (error: unknown): number => (error instanceof GrammyError ? error.error_code : 0)

/** Telegram answers a malformed token with 404. */
const isRefusal = (error: unknown): boolean => [401, 404].includes(codeOf(error))

const refused = 'Telegram rejected the token: it is wrong or was revoked'

/** The value is untrusted. */
const secondsOf = ({ parameters }: GrammyError): number => {
  const retryAfter: unknown = parameters.retry_after ?? 1
  const seconds = Number(retryAfter)
  return Number.isFinite(seconds) ? seconds : 1
}

/** Milliseconds; undefined if no pause was requested. */
export const retryAfterMs = (error: unknown): number | undefined => {
  if (!(error instanceof GrammyError) || error.error_code !== 429) return undefined
  const seconds = secondsOf(error)
  return Math.min(Math.max(seconds, 1) * 1000, limits.channelRetryMost * 12)
}

export const faultOf = (error: unknown): ChannelFault => {
  if (error instanceof ChannelFault) return error
  if (isRefusal(error)) return new ChannelFault('refused', refused, loggableError(error))
  if (codeOf(error) === 409)
    return new ChannelFault('away', 'another client polls with the same token, or a webhook is set for it', loggableError(error))
  const inner = error instanceof HttpError ? error.error : error
  return new ChannelFault('away', inner instanceof OutboundFailure ? inner.message : 'Telegram is unreachable', loggableError(error))
}

/** Errors that retrying does not fix. */
const reasonFor = (error: GrammyError): string | undefined => {
  const { error_code: code, description, parameters } = error
  const moved = parameters.migrate_to_chat_id
  if (moved !== undefined) return `the group was migrated to ${moved}: update its wiring`
  if (code === 413) return 'the file is too large for Telegram'
  if (code === 403) return 'the bot was blocked or is no longer a member'
  if (code !== 400) return undefined
  if (/chat not found/i.test(description)) return 'the chat does not exist'
  return /message to edit not found|message can't be edited/i.test(description)
    ? 'the message was deleted or can no longer be edited'
    : 'Telegram refused the message (400)'
}

/** Telegram refused the layout, not the message. */
export const isShapeRefused = (error: unknown): boolean =>
  codeOf(error) === 400 && error instanceof GrammyError && /entit|url/i.test(error.description)

export const failureOf = (error: unknown): SendFailure => {
  const cause = loggableError(error)
  // Telegram does not say whether the limit of this chat or of the bot was exceeded.
  const after = retryAfterMs(error)
  if (after !== undefined) return new SendFailure('later', 'Telegram requested a pause', { after, everywhere: true, cause })
  if (isRefusal(error)) return new SendFailure('later', refused, { after: limits.channelRetryMost, everywhere: true, cause })
  const reason = error instanceof GrammyError ? reasonFor(error) : undefined
  return reason === undefined
    ? new SendFailure('later', 'Telegram did not accept the message', { cause })
    : new SendFailure('never', reason, { cause })
}
