// Maps errors of mail servers. Their texts never leave this module: they can hold addresses, messages or a password.
import { ChannelFault, SendFailure } from '../channel.ts'

const safeField = (error: object, name: string): string | number | undefined => {
  const value: unknown = Object.entries(error).find(([key]) => key === name)?.[1]
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^[A-Z0-9_ -]{1,40}$/.test(value) ? value : undefined
}

/** An error that is safe to log: only codes and the command that failed. */
const loggableError = (error: unknown): Error => {
  const names = ['code', 'responseCode', 'command', 'responseStatus', 'serverResponseCode']
  const fields = error instanceof Error ? names.map((name) => safeField(error, name)).filter((field) => field !== undefined) : []
  const name = error instanceof Error ? error.name : 'an error'
  return new Error(`the mail server: ${[name, ...fields].join(', ')}`)
}

const isDeniedBySmtp = (error: unknown): boolean => error instanceof Error && safeField(error, 'code') === 'EAUTH'
const isDeniedByImap = (error: unknown): boolean =>
  error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true

export const mailboxFault = (error: unknown): ChannelFault => {
  if (error instanceof ChannelFault) return error
  return isDeniedByImap(error)
    ? new ChannelFault('refused', 'the mail server rejected the credentials of the mailbox', loggableError(error))
    : new ChannelFault('away', 'the mailbox is unreachable', loggableError(error))
}

export const sendingFault = (error: unknown): ChannelFault =>
  isDeniedBySmtp(error)
    ? new ChannelFault('refused', 'the mail server rejected the credentials for sending', loggableError(error))
    : new ChannelFault('away', 'the mail server for sending is unreachable', loggableError(error))

/** A refused message is final; refused credentials may be fixed. */
export const failureOf = (error: unknown): SendFailure => {
  const cause = loggableError(error)
  if (isDeniedBySmtp(error)) return new SendFailure('later', 'the mail server rejected the credentials', { cause })
  const status = error instanceof Error ? Number(safeField(error, 'responseCode') ?? 0) : 0
  if (status >= 500) return new SendFailure('never', `the mail server refused the message (${status})`, { cause })
  return new SendFailure('later', 'the mail server did not accept the message', { cause })
}

/** The server refused a message because of its size. */
export interface SizeRefusal {
  /** Maximum message size in bytes, if the server announced it. */
  readonly most: number | undefined
}

/** 552 is also used for a full mailbox, usually with an enhanced status code of its own. */
const isAboutSize = (status: number, answer: string): boolean => {
  const code = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(answer)?.[1]
  return code === undefined ? status === 552 && /size|large|big/i.test(answer) : status >= 500 && ['5.3.4', '5.2.3'].includes(code)
}

export const sizeRefusalOf = (error: unknown): SizeRefusal | undefined => {
  if (!(error instanceof Error)) return undefined
  // The library compares with the announced size before it sends anything.
  const announced = /^Message size larger than allowed (\d{1,15})$/.exec(error.message)?.[1]
  if (announced !== undefined) return { most: Number(announced) }
  const answer = 'response' in error && typeof error.response === 'string' ? error.response : ''
  return isAboutSize(Number(safeField(error, 'responseCode') ?? 0), answer) ? { most: undefined } : undefined
}
