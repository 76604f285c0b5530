// How the sample tool server of `--dev` is started: as a program of this release, or out of an image that is made of it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { makeImage } from '@gatehouse/engine'
import type { Plan } from './plan.ts'

export interface SampleCommand {
  readonly command: string
  readonly args: string[]
  readonly image?: string
}

const inside = '/app/mcp-sample.mjs'

/** Made once for one release. Only a new catalog gets the entry, so nothing is made for one that is there. */
const inImage = async (plan: Plan, bundle: string, log: Logger): Promise<SampleCommand | null> => {
  try {
    const { image } = await makeImage({
      name: 'gatehouse-mcp-sample',
      engine: plan.toolContainers.engine,
      node: process.execPath,
      files: [{ source: bundle, target: inside }],
    })
    return { command: '/bin/node', args: [inside], image }
  } catch (error) {
    log.warn('the catalog begins without the sample tool server: no image could be made for it', { error })
    return null
  }
}

/** Null where a unit gets none. */
export const prepareSample = async (plan: Plan, release: string, log: Logger): Promise<SampleCommand | null> => {
  if (plan.mode !== 'dev') return null
  const bundle = join(release, 'mcp-sample.mjs')
  if (plan.isolation !== 'container') return { command: process.execPath, args: [bundle] }
  return existsSync(plan.catalog ?? join(plan.stateDir, stateFiles.catalog)) ? null : inImage(plan, bundle, log)
}
