// A token for a person or a program: its name, what it may do, where, and until when.
import { type MintedToken, type Role, roles } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { wallMs } from '../../parts/clock.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useApi } from '../../unit/unit.ts'

const may: Readonly<Record<Role, string>> = {
  auditor: 'reads',
  requester: 'reads, talks to agents, asks for changes',
  approver: 'also decides changes, freezes, ends sessions',
  admin: 'also edits the catalog, makes tokens, lifts freezes',
}

const isRole = (value: string): value is Role => value in may

const day = 86_400_000

export const NewToken = ({ made }: { readonly made: (token: MintedToken) => void }) => {
  const api = useApi()
  const act = useAct()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('approver')
  const [groups, setGroups] = useState('')
  const [days, setDays] = useState('90')
  const submit = async (): Promise<void> => {
    const list = groups.split(/[\s,]+/).filter((id) => id !== '')
    const done = await act.run(async () => {
      const expiresAt = days === '' ? undefined : new Date(wallMs() + Number(days) * day).toISOString()
      made(await api.tokens.create({ name, role, ...(list.length > 0 && { groups: list }), ...(expiresAt !== undefined && { expiresAt }) }))
    })
    if (done) setName('')
  }
  return (
    <form
      class="filters new-token"
      aria-label="New token"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="field">
        Name
        <input value={name} required maxLength={63} placeholder="alice" onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        Role
        <select value={role} onChange={({ currentTarget: { value } }) => isRole(value) && setRole(value)}>
          {roles.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        Groups
        <input value={groups} placeholder="all" onInput={(event) => setGroups(event.currentTarget.value)} />
      </label>
      <label class="field">
        Ends in days
        <input type="number" min="1" max="3650" value={days} placeholder="never" onInput={(event) => setDays(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={act.busy}>
        Make a token
      </button>
      <p class="hint says">
        {role}: {may[role]}.
      </p>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
    </form>
  )
}
