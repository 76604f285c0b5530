// Where the admin API listens, and what a mode allows of it.
import { isLoopback, Refusal } from '@gatehouse/kernel'
import { exits, type Mode } from '@gatehouse/contracts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** `HOST:PORT`, `[::1]:PORT` or `:PORT`. */
export const parseAddress = (text: string, mode: Mode): Address => {
  const parts = /^(?:\[(?<v6>[0-9a-fA-F:]+)\]|(?<host>[^:\s]*)):(?<port>\d{1,5})$/.exec(text)?.groups
  const port = Number(parts?.['port'])
  if (parts === undefined || port > 65_535) {
    throw new Refusal(exits.configuration, { detail: `--addr: expected HOST:PORT such as 127.0.0.1:8787, got "${text}"` })
  }
  const host = parts['v6'] ?? (parts['host'] === '' ? '127.0.0.1' : (parts['host'] ?? '127.0.0.1'))
  if (mode !== 'production' && !isLoopback(host)) {
    throw new Refusal(exits.configuration, {
      detail: `--addr: expected a loopback address under --${mode}, got "${text}"`,
      hint: `--${mode} serves local use alone: take 127.0.0.1:${port}, or start without --${mode}`,
    })
  }
  return { host, port }
}
