// The form that requests an address of a channel for an agent group.
import { channels } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { ChoiceField, TextField } from '../../components/fields.tsx'
import { AskForm } from './ask-form.tsx'

const engages = ['mention', 'all', 'pattern'] as const
const sessions = ['shared', 'thread', 'person'] as const

export const WiringForm = ({ id }: { readonly id: string }) => {
  const [channel, setChannel] = useState<(typeof channels)[number]>('slack')
  const [address, setAddress] = useState('')
  const [engage, setEngage] = useState<(typeof engages)[number]>('mention')
  const [pattern, setPattern] = useState('')
  const [session, setSession] = useState<(typeof sessions)[number]>('thread')
  const after = () => ({ channel, address, engage, session, ...(engage === 'pattern' && { pattern }) })
  return (
    <AskForm kind="wiring" agentGroupID={id} after={after} label="Request this address">
      <div class="pair">
        <ChoiceField label="Channel" choices={channels} value={channel} set={setChannel} />
        <TextField label="Address" required maxLength={256} hint="As the channel names it." value={address} set={setAddress} />
        <ChoiceField label="Responds to" choices={engages} value={engage} set={setEngage} />
        {engage === 'pattern' && <TextField label="Pattern" required maxLength={256} value={pattern} set={setPattern} />}
        <ChoiceField label="One session per" choices={sessions} value={session} set={setSession} />
      </div>
    </AskForm>
  )
}
