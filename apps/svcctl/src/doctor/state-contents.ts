// Whether the state can be started from: its schema, its keys, its reserve.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFiles, stateSchema } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Check, fail, noStateDirectory, pass, quoted, type Verdict, warn } from './check.ts'

const State = v.looseObject({ schema: v.number(), mode: v.string() })

const schemaOf = async (stateDir: string): Promise<Verdict[]> => {
  const path = join(stateDir, stateFiles.state)
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), State), await readFile(path, 'utf8').catch(() => ''))
  if (!parsed.success) return [fail(`${path} cannot be read as JSON`, { advice: 'restore the directory from a backup' })]
  const { schema } = parsed.output
  return schema <= stateSchema
    ? []
    : [fail(`${path} is of schema ${schema}, newer than ${stateSchema}`, { advice: 'use the release that wrote it' })]
}

export const stateContents: Check = {
  name: 'state-contents',
  run: async ({ stateDir, environment }) => {
    const names: readonly string[] = stateDir === undefined ? [] : await readdir(stateDir).catch(() => [])
    if (stateDir === undefined) return [noStateDirectory]
    if (!names.includes(stateFiles.database)) return [pass('there is no database yet')]
    const reserve = quoted(join(stateDir, stateFiles.auditReserve))
    const external = Boolean(environment['SERVICE_MASTER_KEY_FILE'])
    const verdicts = [
      ...(await schemaOf(stateDir)),
      ...(names.includes(stateFiles.keyring) || external
        ? []
        : [
            fail('there is a database and no keyring to open it', {
              advice: `restore ${stateFiles.keyring} from a backup, or set SERVICE_MASTER_KEY_FILE`,
            }),
          ]),
      ...(names.includes(stateFiles.audit)
        ? []
        : [fail('there is a database and no journal', { advice: 'restore the directory from a backup' })]),
      ...(names.includes(stateFiles.auditReserve)
        ? []
        : [
            warn(
              'the disk reserve of the journal is gone: it was given up when the disk was full',
              `fallocate -l 16MiB ${reserve} && chmod 0600 ${reserve}`,
            ),
          ]),
    ]
    return verdicts.length === 0 ? [pass(`schema ${stateSchema}`)] : verdicts
  },
}
