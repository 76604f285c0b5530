// A text before and after a change, line by line. Unchanged parts are collapsed.
import { useMemo, useState } from 'preact/hooks'
import { Untrusted } from '../elements.tsx'
import { diffLines, type Line, type Stretch } from './diff-lines.ts'

const signs = { same: ' ', gone: '−', new: '+' } as const
const spoken = { same: '', gone: 'removed: ', new: 'added: ' } as const

const Row = ({ line: { mark, pieces } }: { readonly line: Line }) => (
  <div class={`line ${mark}`}>
    <span class="sign" aria-hidden="true">
      {signs[mark]}
    </span>
    <span class="text">
      {mark !== 'same' && <span class="unseen">{spoken[mark]}</span>}
      {pieces.map(({ text, changed }, index) =>
        changed ? (
          <mark key={index}>
            <Untrusted text={text} />
          </mark>
        ) : (
          <Untrusted key={index} text={text} />
        ),
      )}
    </span>
  </div>
)

/** Lines shown at a time; more would make the page slow. */
const atOnce = 400

const Part = ({ stretch }: { readonly stretch: Stretch }) => {
  const [shown, setShown] = useState(stretch.fold ? 0 : atOnce)
  const hidden = stretch.lines.length - shown
  return (
    <>
      {stretch.lines.slice(0, shown).map((line, index) => (
        <Row key={index} line={line} />
      ))}
      {hidden > 0 && (
        <button type="button" class="unfold" onClick={() => setShown(shown + atOnce)}>
          {stretch.fold && shown === 0 ? `${hidden} unchanged lines` : `Show the next of ${hidden} lines`}
        </button>
      )}
    </>
  )
}

export const TextDiff = ({ before, after }: { readonly before: string; readonly after: string }) => {
  const stretches = useMemo(() => diffLines(before, after), [before, after])
  return (
    <div class="text-diff">
      {stretches.length === 0 && <p class="soft">Both are empty.</p>}
      {stretches.map((stretch, index) => (
        <Part key={index} stretch={stretch} />
      ))}
    </div>
  )
}

interface PersonaProps {
  readonly before: string
  readonly after: string
}

/** Instructions of an agent. */
export const PersonaDiff = ({ before, after }: PersonaProps) => (
  <>
    {before === '' && after !== '' && <p class="soft">No instructions are set now.</p>}
    {after === '' && before !== '' && <p class="soft">No instructions are left.</p>}
    <TextDiff before={before} after={after} />
  </>
)
