// Variables of this shell that contradict each other, or that nothing could use.
import { readFile } from 'node:fs/promises'
import type { Environment } from '../command.ts'
import { type Check, fail, pass, type Verdict, warn } from './check.ts'

const twins = (environment: Environment): Verdict[] =>
  Object.keys(environment)
    .filter((name) => environment[name] && environment[`${name}_FILE`])
    .map((name) => fail(`${name} and ${name}_FILE are both set`, `unset ${name}`))

const proxy = (environment: Environment): Verdict[] =>
  ['HTTPS_PROXY', 'https_proxy', 'SERVICE_HTTPS_PROXY'].flatMap((name) => {
    const value = environment[name]
    if (value === undefined || value === '') return []
    const url = URL.parse(value)
    return url !== null && /^https?:$/.test(url.protocol) ? [] : [fail(`${name} is no http or https URL`, `unset ${name}`)]
  })

const authorities = async (environment: Environment): Promise<Verdict[]> => {
  const file = environment['SERVICE_CA_FILE']
  if (file === undefined || file === '') return []
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text?.includes('-----BEGIN CERTIFICATE-----') === true) return []
  return [
    fail(`SERVICE_CA_FILE names ${file}, which ${text === undefined ? 'cannot be read' : 'holds no certificate'}`, 'unset SERVICE_CA_FILE'),
  ]
}

const image = (environment: Environment): Verdict[] => {
  const reference = environment['SERVICE_SANDBOX_IMAGE']
  if (reference === undefined || reference === '') return []
  if (!reference.includes('@sha256:'))
    return [fail('SERVICE_SANDBOX_IMAGE names an image without its digest, so that another may come', 'unset SERVICE_SANDBOX_IMAGE')]
  return environment['SERVICE_IMAGE_KEY']
    ? []
    : [
        warn('SERVICE_SANDBOX_IMAGE is set without SERVICE_IMAGE_KEY: its signature is not verified', {
          advice: 'name the key that signed it in SERVICE_IMAGE_KEY',
        }),
      ]
}

export const settings: Check = {
  name: 'settings',
  run: async ({ environment }) => {
    const found = [...twins(environment), ...proxy(environment), ...(await authorities(environment)), ...image(environment)]
    return found.length === 0 ? [pass('nothing contradicts itself')] : found
  },
}
