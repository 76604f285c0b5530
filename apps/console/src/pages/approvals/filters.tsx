// What the list of changes is narrowed to, as the address says it.
import { kindNames } from '@gatehouse/contracts'
import { SelectFilter } from '../../parts/select-filter.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'

const names = ['group', 'kind', 'risk', 'by', 'state']
const states = ['applied', 'rejected', 'refused', 'withdrawn', 'expired', 'approved', 'apply_failed']
const risks = ['low', 'medium', 'high']

export const isFiltered = (query: Readonly<Record<string, string>>): boolean => names.some((name) => (query[name] ?? '') !== '')

export const Filters = ({ which }: { readonly which: 'waiting' | 'decided' }) => (
  <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
    <TextFilter name="group" label="Agent group" />
    <SelectFilter name="kind" label="Kind" choices={kindNames} />
    <SelectFilter name="risk" label="Risk" choices={risks} />
    <TextFilter name="by" label="Asked by" />
    {which === 'decided' && <SelectFilter name="state" label="State" choices={states} />}
  </form>
)
