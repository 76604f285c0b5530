// How the unit reaches the world outside: through which proxy, and whose certificates it believes.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { exits, type OutboundSettings } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

interface Given {
  readonly httpsProxy: string | undefined
  readonly noProxy: string | undefined
  readonly caFile: string | undefined
}

const refuse = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

/** Never shows the value: it may hold a password. */
const parseProxy = (text: string | undefined): string | null => {
  if (text === undefined) return null
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url.href
  throw refuse(
    'SERVICE_HTTPS_PROXY: expected the url of a proxy, got something else',
    'write it as http://proxy.example:3128, with user:password@ before the host where the proxy asks for it',
  )
}

const isHost = (text: string): boolean => {
  const [address = '', bits] = text.split('/')
  const family = isIP(address)
  if (family !== 0) return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
  return text === '*' || /^(?:\*?\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/.test(text)
}

const parseNoProxy = (text: string | undefined): string[] => {
  const parts = (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const wrong = parts.find((part) => !isHost(part))
  if (wrong === undefined) return parts
  throw refuse(
    `SERVICE_NO_PROXY: expected hosts, domains, addresses or networks, got "${wrong}"`,
    'separate them by commas, without ports: tools.example, .corp.example, 10.0.0.0/8, or * for all',
  )
}

const blocks = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

const readAuthorities = (path: string | undefined): string | null => {
  if (path === undefined) return null
  try {
    const found = readFileSync(path, 'utf8').match(blocks) ?? []
    const isReadable = found.every((block) => new X509Certificate(block).subject !== null)
    if (found.length > 0 && isReadable) return found.join('\n')
  } catch {
    // Said below: the file cannot be used, whatever the reason.
  }
  throw refuse(
    `SERVICE_CA_FILE: expected a file of certificates in PEM, got ${path}`,
    'write the certificates of the authorities into it, each between its BEGIN and END line',
  )
}

/** `Refusal` 78 names the variable. */
export const readOutbound = ({ httpsProxy, noProxy, caFile }: Given): OutboundSettings => ({
  proxy: parseProxy(httpsProxy),
  noProxy: parseNoProxy(noProxy),
  authorities: readAuthorities(caFile),
})
