// What npm's libraries are told: one registry, no other source, no scripts, nothing kept between two acts.
import { agentOf, type Registry } from './registry.ts'

export type NpmOptions = Readonly<Record<string, unknown>>

export const npmOptions = (registry: Registry, work: string): NpmOptions => ({
  registry: registry.url,
  agent: agentOf(registry),
  cache: `${work}/cache`,
  tufCache: `${work}/tuf`,
  allowGit: 'none',
  allowRemote: 'none',
  allowFile: 'none',
  allowDirectory: 'none',
  ignoreScripts: true,
  audit: false,
  fund: false,
  preferOnline: true,
  fetchRetries: 1,
  fetchRetryFactor: 2,
  fetchRetryMintimeout: 100,
  fetchRetryMaxtimeout: 1_000,
  timeout: 30_000,
})
