// A change can be stopped until it is applied: while it is held, and also when it was approved and its effect is still to come.
import { type Change, type ChangeState, ServiceError } from '@gatehouse/contracts'
import { waitingNames, type SettleDeps } from '../catalog/settle.ts'
import { registered, writtenBefore } from '../kinds/registration.ts'

const unapplied: ReadonlySet<ChangeState> = new Set(['held', 'approved', 'apply_failed'])

/** Nothing of it is in force. */
export const isUnapplied = ({ state }: Pick<Change, 'state'>): boolean => unapplied.has(state)

/** An entry of the catalog is written before its change is applied: from then on it is in force. Under the lock of the change. */
export const assertNotBegun = async (deps: SettleDeps, change: Change): Promise<void> => {
  const registration = change.state === 'approved' ? registered(change, deps.secrets) : undefined
  if (registration === undefined) return
  const { name } = registration
  if (writtenBefore(change, deps) === undefined && !(await waitingNames(deps)).has(name)) return
  throw new ServiceError('conflict', {
    detail: `${change.id} is being applied: the tool server ${name} is in the catalog or is being written to it`,
    hint: `remove the tool server when the change is applied: svcctl mcp remove ${name}`,
  })
}
