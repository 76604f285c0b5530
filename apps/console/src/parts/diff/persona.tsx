// Instructions of an agent, as they are and as they would be.
import { TextDiff } from './text-diff.tsx'

interface PersonaProps {
  readonly before: string
  readonly after: string
}

export const PersonaDiff = ({ before, after }: PersonaProps) => (
  <>
    {before === '' && after !== '' && <p class="soft">There are no instructions now.</p>}
    {after === '' && before !== '' && <p class="soft">No instructions would be left.</p>}
    <TextDiff before={before} after={after} />
  </>
)
