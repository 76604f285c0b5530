// The direction of imports: apps → services → plumbing → contracts. A type counts as much as a value.
import type { Link } from './links.ts'

const services = new Set(['gateway', 'broker', 'runner', 'control-plane', 'model-proxy', 'channels'])
const plumbing = new Set(['rpc', 'store', 'journal', 'engine', 'kernel', 'outbound', 'npm-tree', 'python-tree', 'archive'])

type Layer = 'contracts' | 'client' | 'plumbing' | 'service' | 'app' | 'tooling' | 'none'

/** `packages/<name>`, `apps/<name>` or `tooling/<name>`. */
const packageOf = (path: string): string => path.split('/').slice(0, 2).join('/')

const layerOf = (path: string): Layer => {
  const [folder, name = ''] = path.split('/')
  if (folder === 'apps') return 'app'
  if (folder === 'tooling') return 'tooling'
  if (services.has(name)) return 'service'
  if (plumbing.has(name)) return 'plumbing'
  return name === 'contracts' || name === 'client' ? name : 'none'
}

interface Rule {
  readonly may: readonly Layer[]
  readonly words: string
}

/** What a layer may import besides its own package. */
const rules: Record<Layer, Rule> = {
  contracts: { may: [], words: 'contracts import contracts only' },
  client: { may: ['contracts'], words: 'the client imports contracts only' },
  plumbing: { may: ['plumbing', 'contracts'], words: 'plumbing imports plumbing and contracts only' },
  service: { may: ['plumbing', 'contracts'], words: 'a service imports plumbing and contracts only, never another service' },
  app: { may: ['plumbing', 'contracts', 'client'], words: 'an app imports no service, no other app and no tooling' },
  tooling: { may: ['contracts', 'client', 'plumbing', 'service', 'app', 'tooling'], words: 'the tooling imports packages and apps' },
  none: { may: [], words: 'a package stands in one of the layers' },
}

/** A test of a service may ask it through the client, as its users do. */
const isTestByClient = (from: string, to: string): boolean =>
  /^packages\/[^/]+\/test\//.test(from) && layerOf(from) === 'service' && layerOf(to) === 'client'

/** Tests of packages and apps may use the testkit and the scripted provider of models. */
const isTestWithFixture = (from: string, to: string): boolean =>
  /^(packages|apps)\/[^/]+\/test\//.test(from) && ['tooling/scripted-provider', 'tooling/testkit'].includes(packageOf(to))

export const layerFindings = (links: readonly Link[]): string[] =>
  links.flatMap(({ from, to, line }) => {
    const rule = rules[layerOf(from)]
    const within = packageOf(from) === packageOf(to) && layerOf(from) !== 'none'
    return within || rule.may.includes(layerOf(to)) || isTestByClient(from, to) || isTestWithFixture(from, to)
      ? []
      : [`${from}:${line} → ${to}: ${rule.words}`]
  })
