// What the refusals of mail servers mean to us. Their own words stay here: they may hold an address, what people wrote, or a password.
import { ChannelFault, SendFailure } from '../channel.ts'

const wordOf = (error: object, name: string): string | number | undefined => {
  const value: unknown = Object.entries(error).find(([key]) => key === name)?.[1]
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^[A-Z0-9_ -]{1,40}$/.test(value) ? value : undefined
}

/** An error that may be logged: codes, and to which command they were the answer. */
const bare = (error: unknown): Error => {
  const names = ['code', 'responseCode', 'command', 'responseStatus', 'serverResponseCode']
  const words = error instanceof Error ? names.map((name) => wordOf(error, name)).filter((word) => word !== undefined) : []
  const name = error instanceof Error ? error.name : 'an error'
  return new Error(`the mail server: ${[name, ...words].join(', ')}`)
}

const isDeniedBySmtp = (error: unknown): boolean => error instanceof Error && wordOf(error, 'code') === 'EAUTH'
const isDeniedByImap = (error: unknown): boolean =>
  error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true

export const mailboxFault = (error: unknown): ChannelFault => {
  if (error instanceof ChannelFault) return error
  return isDeniedByImap(error)
    ? new ChannelFault('refused', 'the mail server does not take user and password for the mailbox', bare(error))
    : new ChannelFault('away', 'the mailbox was not reached', bare(error))
}

export const sendingFault = (error: unknown): ChannelFault =>
  isDeniedBySmtp(error)
    ? new ChannelFault('refused', 'the mail server does not take user and password for sending', bare(error))
    : new ChannelFault('away', 'the mail server for sending was not reached', bare(error))

/** What the server says of this message for good; what it says of our password may change. */
export const failureOf = (error: unknown): SendFailure => {
  const cause = bare(error)
  if (isDeniedBySmtp(error)) return new SendFailure('later', 'the mail server does not take user and password', { cause })
  const status = error instanceof Error ? Number(wordOf(error, 'responseCode') ?? 0) : 0
  if (status >= 500) return new SendFailure('never', `the mail server refused it (${status})`, { cause })
  return new SendFailure('later', 'the mail server did not take it', { cause })
}

/** A letter that is as large as this will never be taken; undefined where it is not about its size. */
export interface Excess {
  /** Bytes of the largest letter, where the server says so. */
  readonly most: number | undefined
}

/** 552 is said of a full mailbox too, mostly with its own code behind it. */
const isAboutSize = (status: number, answer: string): boolean => {
  const code = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(answer)?.[1]
  return code === undefined ? status === 552 && /size|large|big/i.test(answer) : status >= 500 && ['5.3.4', '5.2.3'].includes(code)
}

export const excessOf = (error: unknown): Excess | undefined => {
  if (!(error instanceof Error)) return undefined
  // The library compares with what the server has announced, and says nothing to it.
  const announced = /^Message size larger than allowed (\d{1,15})$/.exec(error.message)?.[1]
  if (announced !== undefined) return { most: Number(announced) }
  const answer = 'response' in error && typeof error.response === 'string' ? error.response : ''
  return isAboutSize(Number(wordOf(error, 'responseCode') ?? 0), answer) ? { most: undefined } : undefined
}
