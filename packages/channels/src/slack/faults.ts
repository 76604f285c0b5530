// What Slack's refusals mean to us. Its own words stay here, and so do the client's errors: they hold headers and what people wrote.
import { limits } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api'
import { ChannelFault, SendFailure } from '../channel.ts'

/** The bytes of a file were not taken. @param pause seconds, as the service says it */
export class UploadRefused extends Error {
  readonly status: number
  readonly pause: string | null

  constructor(status: number, pause: string | null) {
    super(`Slack answered the bytes of a file with ${status}`)
    this.name = 'UploadRefused'
    this.status = status
    this.pause = pause
  }
}

/** Slack's code where it is one. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof WebAPIPlatformError && /^[a-z_]{1,60}$/.test(error.data.error) ? error.data.error : undefined

/** An error that may be logged. */
const bare = (error: unknown): Error => {
  if (error instanceof WebAPIPlatformError) return new Error(`Slack answered ${codeOf(error) ?? 'what cannot be read'}`)
  if (error instanceof WebAPIHTTPError) return new Error(`Slack answered ${error.statusCode}`)
  if (error instanceof WebAPIRateLimitedError) return new Error(`Slack asks for a pause of ${error.retryAfter} s`)
  const inner = error instanceof WebAPIRequestError ? error.original : error
  if (inner instanceof OutboundFailure || inner instanceof UploadRefused) return inner
  const code = inner instanceof Error && 'code' in inner && typeof inner.code === 'string' ? inner.code : 'no answer that can be read'
  return new Error(`Slack was not reached: ${code}`)
}

const refusals = new Set([
  'not_authed',
  'invalid_auth',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'no_permission',
  'missing_scope',
  'not_allowed_token_type',
  'user_removed_from_team',
  'team_disabled',
  'org_login_required',
  'ekm_access_denied',
  'access_denied',
])

const refusalOf = (error: unknown): string | undefined => {
  const code = codeOf(error)
  if (code === undefined || !refusals.has(code)) return undefined
  if (code === 'missing_scope') return 'Slack wants a permission that the app lacks'
  if (code === 'not_allowed_token_type')
    return 'Slack wants another kind of token: the one of the bot begins with xoxb-, the one of the app with xapp-'
  return `Slack does not take the token (${code})`
}

/** Seconds; undefined where it is not asked. */
const pauseOf = (error: unknown): number | undefined => {
  if (error instanceof WebAPIRateLimitedError) return error.retryAfter
  if (!(error instanceof UploadRefused) || error.status !== 429) return undefined
  return /^\d{1,9}$/.test(error.pause ?? '') ? Number(error.pause) : 1
}

/** Milliseconds; undefined where it is not asked. */
export const patienceOf = (error: unknown): number | undefined => {
  const seconds = pauseOf(error)
  return seconds === undefined ? undefined : Math.min(Math.max(seconds, 1) * 1000, limits.channelRetryMost * 12)
}

export const faultOf = (error: unknown): ChannelFault => {
  if (error instanceof ChannelFault) return error
  const refusal = refusalOf(error)
  if (refusal !== undefined) return new ChannelFault('refused', refusal, bare(error))
  if (patienceOf(error) !== undefined) return new ChannelFault('away', 'Slack asks for a pause', bare(error))
  const inner = error instanceof WebAPIRequestError ? error.original : error
  return new ChannelFault('away', inner instanceof OutboundFailure ? inner.message : 'Slack was not reached', bare(error))
}

/** What will not pass by waiting. */
const reasons: Readonly<Record<string, string>> = {
  channel_not_found: 'Slack knows no such place, or the bot is not in it',
  not_in_channel: 'the bot is not in that place',
  is_archived: 'the place is archived',
  msg_too_long: 'Slack finds it too long',
  no_text: 'Slack finds no text in it',
  restricted_action: 'the workspace lets the bot not write there',
  thread_not_found: 'the thread is gone',
  cannot_reply_to_message: 'the thread cannot be answered',
  message_not_found: 'the card is gone',
  cant_update_message: 'Slack lets the bot not change the card',
  edit_window_closed: 'the workspace lets nobody change a message that old',
  user_not_in_channel: 'the person is not in that place',
}

const shapes = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'])

/** Slack takes the message, but not how it is laid out. */
export const isShapeRefused = (error: unknown): boolean => shapes.has(codeOf(error) ?? '')

export const failureOf = (error: unknown): SendFailure => {
  const cause = bare(error)
  // Slack counts by method and workspace, and at some methods by place: it does not say which was too much.
  const after = patienceOf(error)
  if (after !== undefined) return new SendFailure('later', 'Slack asks for a pause', { after, everywhere: true, cause })
  const refusal = refusalOf(error)
  if (refusal !== undefined) return new SendFailure('later', refusal, { after: limits.channelRetryMost, everywhere: true, cause })
  const reason = reasons[codeOf(error) ?? '']
  return reason === undefined ? new SendFailure('later', 'Slack did not take it', { cause }) : new SendFailure('never', reason, { cause })
}

export const permissionForFiles = 'files:write'

/** What of a file will not pass by waiting. Messages may go there nonetheless. */
const reasonsOfFiles: Readonly<Record<string, string>> = {
  missing_scope: `the app lacks the permission ${permissionForFiles}: add it, and install the app again`,
  no_permission: 'Slack lets the bot put no file there',
  access_denied: 'Slack lets the bot put no file there',
  posting_to_channel_denied: 'Slack lets the bot put no file there',
  invalid_channel: 'Slack knows no such place, or the bot is not in it',
  file_uploads_disabled: 'the workspace takes no files',
  file_uploads_except_images_disabled: 'the workspace takes no files but pictures',
  file_type_not_allowed: 'the workspace takes no files of this kind',
  file_upload_size_restricted: 'the workspace takes no file that large',
  storage_limit_reached: 'the workspace has no room for files',
}

const reasonForFile = (error: unknown): string | undefined => {
  if (error instanceof UploadRefused && error.status === 413) return reasonsOfFiles['file_upload_size_restricted']
  if (error instanceof OutboundFailure && error.kind === 'address-refused') return 'Slack named a url for the file that is not its own'
  return reasonsOfFiles[codeOf(error) ?? '']
}

export const fileFailureOf = (error: unknown): SendFailure => {
  if (error instanceof SendFailure) return error
  const reason = reasonForFile(error)
  return reason === undefined ? failureOf(error) : new SendFailure('never', reason, { cause: bare(error) })
}
