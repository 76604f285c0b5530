// Removes the containers that an earlier start of this unit left behind, found by their label.
import { ServiceError } from '@gatehouse/contracts'
import { unitLabel } from './arguments.ts'
import { type Engine, callEngine, removeContainers } from './engine.ts'

/** `label`: which of its containers; by default its sandboxes. */
export const removeStrays = async (
  engine: Pick<Engine, 'name' | 'file' | 'global'>,
  unitId: string,
  label: string = unitLabel,
): Promise<number> => {
  const listed = await callEngine(engine, ['ps', '--all', '--quiet', '--no-trunc', '--filter', `label=${label}=${unitId}`])
  if (!listed.ok)
    throw new ServiceError('no-sandbox', { detail: `${engine.name} ps failed: ${listed.stderr}`, hint: `start ${engine.name}` })
  const ids = listed.stdout.split('\n').filter((id) => id !== '')
  if (ids.length === 0) return 0
  const removed = await removeContainers(engine, ids)
  if (!removed.ok) throw new ServiceError('no-sandbox', { detail: `${engine.name} rm failed: ${removed.stderr}` })
  return ids.length
}
