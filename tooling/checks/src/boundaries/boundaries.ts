// Who may import whom, and who may hold which power.
import { type Check, fromFindings } from '../check.ts'
import { layerFindings } from './layers.ts'
import { powerFindings } from './powers.ts'

export const boundaries: Check = {
  name: 'boundaries',
  async run({ root }) {
    return fromFindings([...(await layerFindings(root)), ...(await powerFindings(root))])
  },
}
