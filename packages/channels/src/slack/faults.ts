// Maps errors of Slack. Its texts and the client's errors never leave this module: they can hold headers and messages.
import { limits } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api'
import { ChannelFault, SendFailure } from '../channel.ts'

/** Slack refused an upload. @param pause value of `Retry-After`, in seconds */
export class UploadRefused extends Error {
  readonly status: number
  readonly pause: string | null

  constructor(status: number, pause: string | null) {
    super(`Slack answered an upload with ${status}`)
    this.name = 'UploadRefused'
    this.status = status
    this.pause = pause
  }
}

/** Slack's error code, if it is well-formed. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof WebAPIPlatformError && /^[a-z_]{1,60}$/.test(error.data.error) ? error.data.error : undefined

/** An error that is safe to log. */
const loggableError = (error: unknown): Error => {
  if (error instanceof WebAPIPlatformError) return new Error(`Slack answered ${codeOf(error) ?? 'with an unknown error'}`)
  if (error instanceof WebAPIHTTPError) return new Error(`Slack answered ${error.statusCode}`)
  if (error instanceof WebAPIRateLimitedError) return new Error(`Slack requested a pause of ${error.retryAfter} s`)
  const inner = error instanceof WebAPIRequestError ? error.original : error
  if (inner instanceof OutboundFailure || inner instanceof UploadRefused) return inner
  const code = inner instanceof Error && 'code' in inner && typeof inner.code === 'string' ? inner.code : 'invalid response'
  return new Error(`Slack is unreachable: ${code}`)
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
  if (code === 'missing_scope') return 'the Slack app is missing a permission'
  if (code === 'not_allowed_token_type') return 'wrong kind of Slack token: a bot token begins with xoxb-, an app token with xapp-'
  return `Slack rejected the token (${code})`
}

/** Seconds; undefined if no pause was requested. */
const pauseOf = (error: unknown): number | undefined => {
  if (error instanceof WebAPIRateLimitedError) return error.retryAfter
  if (!(error instanceof UploadRefused) || error.status !== 429) return undefined
  return /^\d{1,9}$/.test(error.pause ?? '') ? Number(error.pause) : 1
}

/** Milliseconds; undefined if no pause was requested. */
export const retryAfterMs = (error: unknown): number | undefined => {
  const seconds = pauseOf(error)
  return seconds === undefined ? undefined : Math.min(Math.max(seconds, 1) * 1000, limits.channelRetryMost * 12)
}

export const faultOf = (error: unknown): ChannelFault => {
  if (error instanceof ChannelFault) return error
  const refusal = refusalOf(error)
  if (refusal !== undefined) return new ChannelFault('refused', refusal, loggableError(error))
  if (retryAfterMs(error) !== undefined) return new ChannelFault('away', 'Slack requested a pause', loggableError(error))
  const inner = error instanceof WebAPIRequestError ? error.original : error
  return new ChannelFault('away', inner instanceof OutboundFailure ? inner.message : 'Slack is unreachable', loggableError(error))
}

/** Errors that retrying does not fix. */
const reasons: Readonly<Record<string, string>> = {
  channel_not_found: 'the channel does not exist, or the bot is not a member',
  not_in_channel: 'the bot is not a member of the channel',
  is_archived: 'the channel is archived',
  msg_too_long: 'the message is too long for Slack',
  no_text: 'the message has no text',
  restricted_action: 'the workspace does not allow the bot to post there',
  thread_not_found: 'the thread no longer exists',
  cannot_reply_to_message: 'the thread does not accept replies',
  message_not_found: 'the card no longer exists',
  cant_update_message: 'Slack does not allow the bot to update the card',
  edit_window_closed: 'the workspace does not allow edits of old messages',
  user_not_in_channel: 'the person is not a member of the channel',
}

const shapes = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'])

/** Slack refused the layout, not the message. */
export const isShapeRefused = (error: unknown): boolean => shapes.has(codeOf(error) ?? '')

export const failureOf = (error: unknown): SendFailure => {
  const cause = loggableError(error)
  // Slack limits by method and workspace, and some methods by channel. It does not say which limit was exceeded.
  const after = retryAfterMs(error)
  if (after !== undefined) return new SendFailure('later', 'Slack requested a pause', { after, everywhere: true, cause })
  const refusal = refusalOf(error)
  if (refusal !== undefined) return new SendFailure('later', refusal, { after: limits.channelRetryMost, everywhere: true, cause })
  const reason = reasons[codeOf(error) ?? '']
  return reason === undefined
    ? new SendFailure('later', 'Slack did not accept the message', { cause })
    : new SendFailure('never', reason, { cause })
}

export const permissionForFiles = 'files:write'

/** Errors of uploads that retrying does not fix. Messages without files may still be accepted. */
const reasonsOfFiles: Readonly<Record<string, string>> = {
  missing_scope: `the app is missing the permission ${permissionForFiles}: add it and reinstall the app`,
  no_permission: 'Slack does not allow the bot to upload files there',
  access_denied: 'Slack does not allow the bot to upload files there',
  posting_to_channel_denied: 'Slack does not allow the bot to upload files there',
  invalid_channel: 'the channel does not exist, or the bot is not a member',
  file_uploads_disabled: 'the workspace does not allow files',
  file_uploads_except_images_disabled: 'the workspace allows only images',
  file_type_not_allowed: 'the workspace does not allow this file type',
  file_upload_size_restricted: 'the file is too large for the workspace',
  storage_limit_reached: 'the workspace has no storage left',
}

const reasonForFile = (error: unknown): string | undefined => {
  if (error instanceof UploadRefused && error.status === 413) return reasonsOfFiles['file_upload_size_restricted']
  if (error instanceof OutboundFailure && error.kind === 'address-refused') return 'Slack returned an upload URL of another host'
  return reasonsOfFiles[codeOf(error) ?? '']
}

export const fileFailureOf = (error: unknown): SendFailure => {
  if (error instanceof SendFailure) return error
  const reason = reasonForFile(error)
  return reason === undefined ? failureOf(error) : new SendFailure('never', reason, { cause: loggableError(error) })
}
