// Selects the sandbox driver of a unit: allowed by its mode, requested by its flags, and working on this host.
import type { SandboxDriver } from '@gatehouse/contracts'
import { detectBubblewrap } from './bubblewrap/detect.ts'
import type { Choice, ChooseOptions } from './choice.ts'
import { detectContainer } from './container/detect.ts'
import { detectNone } from './none/driver.ts'
import { detectOci } from './oci/detect.ts'

export type WantedDriver = 'auto' | SandboxDriver

type Attempt = (options: ChooseOptions) => Promise<Choice>

/** The drivers, each with its detection on this host. */
const attempts: Readonly<Record<SandboxDriver, Attempt>> = {
  oci: detectOci,
  container: detectContainer,
  bubblewrap: detectBubblewrap,
  none: detectNone,
}

/** The names to try in order, or a refusal. A runtime applies to `oci` or a container engine; naming an engine requests containers. */
const candidates = (wanted: WantedDriver, { mode, engine, runtime }: ChooseOptions): readonly SandboxDriver[] | string => {
  if (wanted === 'none' && mode !== 'dev')
    return '--sandbox none provides no isolation and is allowed only with --dev; use --sandbox container or --sandbox bubblewrap'
  if (wanted === 'auto' && engine !== null) return ['container']
  if (engine !== null && wanted !== 'container') return `--sandbox-engine ${engine} needs --sandbox container, got --sandbox ${wanted}`
  if (wanted === 'auto' && mode === 'production') return ['oci']
  if (wanted === 'auto' && (mode === 'demo' || runtime !== null)) return ['container']
  if (wanted === 'auto') return ['bubblewrap', 'container', 'none']
  if (runtime !== null && wanted !== 'container' && wanted !== 'oci')
    return `--sandbox-runtime ${runtime} needs --sandbox container or --sandbox oci, got --sandbox ${wanted}`
  return [wanted]
}

/** Nothing is downgraded silently: only a mode for testing launches with missing controls. */
const checkControls = (choice: Choice, { mode, allowOldEngine }: ChooseOptions): Choice => {
  if (!('driver' in choice) || mode === 'dev') return choice
  if (choice.old !== undefined && !allowOldEngine)
    return { refused: `${choice.old}; install a newer one, or accept it with --allow-old-engine` }
  if (mode === 'demo' || choice.driver.missing.length === 0) return choice
  const controls = choice.driver.missing.join(', ')
  return { refused: `these controls are missing on this host: ${controls}; without --dev or --demo all controls are required` }
}

/** Runs trial programs, so it takes up to a second. Never rejects because of the host. */
export const chooseDriver = async (wanted: WantedDriver, options: ChooseOptions): Promise<Choice> => {
  const names = candidates(wanted, options)
  if (typeof names === 'string') return { refused: names }
  const reasons: string[] = []
  for (const name of names) {
    const choice = checkControls(await attempts[name](options), options)
    if ('driver' in choice) {
      if (choice.old !== undefined) options.log.warn('old release of a sandbox engine', { driver: name, fault: choice.old })
      options.log.info('sandbox driver chosen', { driver: name, missing: choice.driver.missing, passedOver: reasons })
      return choice
    }
    reasons.push(`${name}: ${choice.refused}`)
  }
  return { refused: reasons.join('; ') }
}
