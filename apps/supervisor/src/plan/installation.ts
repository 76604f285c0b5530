// `state.json`, which names the installation, mode and schema of a state directory, and the sample tool server.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, jsonBounds, Mode, stateFiles, stateSchema } from '@gatehouse/contracts'
import { makeImage } from '@gatehouse/engine'
import { ifPresent, jsonText, type Logger, Refusal, writeAtomically } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Plan } from './plan.ts'

const StateFile = v.strictObject({
  schema: v.number(),
  installation: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  mode: Mode,
})

/** Gives the id of the installation, made at the first start; `known` where the other half of the unit has made it. */
export const openInstallation = async (stateDir: string, mode: Mode, known?: string): Promise<string> => {
  const path = join(stateDir, stateFiles.state)
  const text = await ifPresent(readFile(path, 'utf8'))
  if (text === undefined) {
    const installation = known ?? randomBytes(16).toString('hex')
    await writeAtomically(path, `${JSON.stringify({ schema: stateSchema, installation, mode }, null, 2)}\n`)
    return installation
  }
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.stateFile), StateFile), text)
  if (!parsed.success)
    throw new Refusal(exits.configuration, { detail: `${path}: expected the state file of an installation, got something else` })
  const { schema, installation, mode: kept } = parsed.output
  if (schema > stateSchema) {
    throw new Refusal(exits.configuration, {
      detail: `${path}: expected schema ${stateSchema} or older, got ${schema}`,
      hint: 'this state was written by a newer release: start that release, or restore a backup',
    })
  }
  if (kept !== mode) {
    throw new Refusal(exits.configuration, {
      detail: `${stateDir}: expected state of mode ${mode}, got state of mode ${kept}`,
      hint: 'start in that mode, or give another --state-dir',
    })
  }
  if (known !== undefined && known !== installation) {
    throw new Refusal(exits.configuration, {
      detail: `${stateDir}: expected the state of installation ${known}, got that of ${installation}`,
      hint: 'give each half of a split unit a state directory of its own, and both the same installation',
    })
  }
  return installation
}

/** How the sample tool server of `--dev` is started: as a program of this release, or out of an image that is made of it. */
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
