// What all checks look at, made once.
import { existsSync } from 'node:fs'
import { askUnit, type UnitAddress } from '../connection/ask-unit.ts'
import { stateDirectories } from '../journal/state-directories.ts'
import { findPlace } from '../journal/unit-directory.ts'
import { loginName } from '../submission/login-name.ts'
import type { Site } from './check.ts'

export interface SiteOptions extends UnitAddress {
  /** Somebody named the address; else it is the default one. */
  readonly addressGiven: boolean
  readonly stateDir: string | undefined
}

export const createSite = async (options: SiteOptions): Promise<Site> => {
  const unit = await askUnit(options)
  const usual = stateDirectories(options.environment).filter((path) => existsSync(path))
  const place = await findPlace({ ...options, unit, named: options.stateDir, usual })
  return { ...options, unit, place, stateDir: 'directory' in place ? place.directory : undefined, self: loginName() }
}
