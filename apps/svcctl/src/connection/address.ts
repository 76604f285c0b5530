// Which addresses a token may be sent to.
import { ServiceError } from '@gatehouse/contracts'

export interface AddressOptions {
  /** Whether a token would be sent. */
  readonly token: boolean
  readonly insecure: boolean
}

/** The URL parser has already written every IPv4 address in four decimal parts. */
const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

const refuse = (detail: string, hint: string): ServiceError => new ServiceError('invalid', { detail, hint })

/** Gives the address back when it is one that may be asked. */
export const checkAddress = (address: string, { token, insecure }: AddressOptions): string => {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw refuse('expected the address of a unit as an http or https URL without a user', 'such as --addr http://127.0.0.1:8787')
  }
  if (token && !insecure && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse(
      `expected https for ${url.hostname}, which is not this machine; over http everybody on the way could read the token, so it was not sent`,
      'use https, or --insecure-http if the network itself is private',
    )
  }
  return address
}
