// Every check of `svcctl doctor`, in the order of the report.
import { changes, channels, freezes, sessions, tokens } from './activity.ts'
import type { Check } from './check.ts'
import { clock, disk, kernel, ports, runtime } from './host.ts'
import { engines, posture, sandbox } from './sandbox.ts'
import { journal, ownFiles, stateContents, stateDirectory, stateFilesCheck } from './state.ts'
import { catalog, grants, models, servers } from './tools.ts'
import { address, credentials, processes, reachability, settings } from './unit.ts'

export const checks: readonly Check[] = [
  runtime,
  settings,
  ownFiles,
  address,
  reachability,
  credentials,
  clock,
  ports,
  processes,
  posture,
  sandbox,
  engines,
  kernel,
  stateDirectory,
  stateFilesCheck,
  stateContents,
  disk,
  journal,
  catalog,
  servers,
  models,
  channels,
  grants,
  changes,
  sessions,
  freezes,
  tokens,
]
