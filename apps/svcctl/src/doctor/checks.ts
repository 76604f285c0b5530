// Every check, in the order in which a person would ask.
import type { Check } from './check.ts'
import { address } from './address.ts'
import { catalog } from './catalog.ts'
import { changes } from './changes.ts'
import { channels } from './channels.ts'
import { clock } from './clock.ts'
import { credentials } from './credentials.ts'
import { disk } from './disk.ts'
import { engines } from './engines.ts'
import { freezes } from './freezes.ts'
import { grants } from './grants.ts'
import { journal } from './journal.ts'
import { kernel } from './kernel.ts'
import { models } from './models.ts'
import { ownFiles } from './own-files.ts'
import { ports } from './ports.ts'
import { posture } from './posture.ts'
import { processes } from './processes.ts'
import { reachability } from './reachability.ts'
import { runtime } from './runtime.ts'
import { sandbox } from './sandbox.ts'
import { servers } from './servers.ts'
import { sessions } from './sessions.ts'
import { settings } from './settings.ts'
import { stateContents } from './state-contents.ts'
import { stateDirectory } from './state-directory.ts'
import { stateFilesCheck } from './state-files.ts'
import { tokens } from './tokens.ts'

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
