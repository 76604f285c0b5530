// The type of a row of settings, and parsers of single settings: addresses, durations, rates, URLs, mount roots, proxies, registries.
import { BlockList, isIP } from 'node:net'
import { isAbsolute, resolve } from 'node:path'
import { exits, type Mode } from '@gatehouse/contracts'
import { isLoopback, Refusal, type Setting } from '@gatehouse/kernel'

interface Documentation {
  /** The heading below which it is listed. */
  readonly group: 'Unit' | 'API' | 'Changes and records' | 'Sandboxes' | 'Tool servers' | 'Outbound connections' | 'Models' | 'Channels'
  /** Stands for the value of a flag, such as `HOST:PORT`. */
  readonly value?: string
  readonly help: string
  /** What holds without it, where the mode or the host decides that. */
  readonly without?: string
}

export type DocumentedSetting = Setting & Documentation
export type DocumentedSettings = Readonly<Record<string, DocumentedSetting>>

interface Address {
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
      hint: `--${mode} is for local use only: use 127.0.0.1:${port}, or start without --${mode}`,
    })
  }
  return { host, port }
}

/** A span of time as an operator writes it: a whole number and a unit. */
const units = { s: 1_000, m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const
const isUnit = (text: string): text is keyof typeof units => Object.hasOwn(units, text)

interface Span {
  readonly least: string
  readonly most: string
}

/** Milliseconds; undefined for what is no span of time. */
const read = (text: string): number | undefined => {
  const [, count = '', unit = ''] = /^(\d{1,12})([a-z])$/.exec(text) ?? []
  return isUnit(unit) ? Number(count) * units[unit] : undefined
}

/** A parser of `90s`, `30m`, `12h` or `7d`, between two others, to milliseconds; `Refusal` 78 names the setting. */
export const parseDuration =
  (setting: string, { least, most }: Span) =>
  (text: string): number => {
    const time = read(text)
    if (time !== undefined && time >= (read(least) ?? 0) && time <= (read(most) ?? Infinity)) return time
    throw new Refusal(exits.configuration, {
      detail: `${setting}: expected a time from ${least} to ${most} in s, m, h or d, such as 12h, got "${text}"`,
      hint: `write a whole number and its unit: ${setting} ${least}`,
    })
  }

interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Null: off. */
export const parseRate = (text: string): Rate | null => {
  if (text === 'off') return null
  const parts = /^(\d{1,6}):(\d{1,6})$/.exec(text)
  const [perSecond, burst] = [Number(parts?.[1] ?? 0), Number(parts?.[2] ?? 0)]
  if (perSecond >= 1 && burst >= 1) return { perSecond, burst }
  throw new Refusal(exits.configuration, {
    detail: `--rate-limit: expected PER-SECOND:BURST such as 50:100, or off, got "${text}"`,
    hint: 'take the default: 50:100',
  })
}

const splitAt = (separator: string | RegExp, text: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Origins, separated by commas. */
export const parsePublicUrls = (text: string): string[] =>
  splitAt(',', text).map((part) => {
    if (URL.canParse(part) && /^https?:$/.test(new URL(part).protocol)) return new URL(part).origin
    throw new Refusal(exits.configuration, {
      detail: `SERVICE_PUBLIC_URL: expected URLs such as https://gatehouse.example, got "${part}"`,
      hint: 'separate several by commas',
    })
  })

/** Absolute paths, separated by colons or commas; `..` and trailing slashes are taken out. */
export const parseMountAllow = (text: string): string[] => {
  const parts = splitAt(/[:,]/, text)
  const wrong = parts.find((part) => !isAbsolute(part) || part.includes('\0'))
  if (wrong === undefined) return [...new Set(parts.map((part) => resolve(part)))]
  throw new Refusal(exits.configuration, {
    detail: `SERVICE_MOUNT_ALLOW: expected absolute paths, got "${wrong}"`,
    hint: 'write them in full, separated by colons: SERVICE_MOUNT_ALLOW=/srv/data:/srv/reports',
  })
}

/** Which proxies in front of the unit are believed when they say for whom they ask. */
const widths = { 4: 32, 6: 128 } as const

/** A bare address is a network of one. */
const toNetwork = (text: string): string | undefined => {
  const [, address = '', prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  if (family !== 4 && family !== 6) return undefined
  const bits = prefix === undefined ? widths[family] : Number(prefix)
  if (bits > widths[family]) return undefined
  // The same call that will judge each request.
  new BlockList().addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  return `${address}/${bits}`
}

/** CIDRs, separated by commas; one that covers every address would let any client name its own. */
export const parseProxies = (text: string): string[] =>
  splitAt(',', text).map((part) => {
    const network = toNetwork(part)
    if (network !== undefined && !network.endsWith('/0')) return network
    throw new Refusal(exits.configuration, {
      detail: `SERVICE_TRUSTED_PROXIES: expected networks such as 10.0.0.0/8 or fd00::/8, got "${part}"`,
      hint: 'list only the proxies, separated by commas: a listed host can claim any client address',
    })
  })

/** Where the packages of npm come from. The one host that their way out leads to. */
export const npmRegistry = 'https://registry.npmjs.org/'

/** With a slash at its end. Plain http is for this machine only. */
export const parseRegistry = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url === undefined || !isSafe || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Refusal(exits.configuration, {
      detail: `SERVICE_NPM_REGISTRY: expected an https URL without user, query and fragment, got "${text}"`,
      hint: `leave it out for ${npmRegistry}, or name a mirror such as https://npm.example.org/`,
    })
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
