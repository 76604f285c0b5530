// Draws Markdown as elements: text only as text nodes, no HTML, no pictures, and links that say where they lead.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Untrusted } from '../elements.tsx'
import './markdown.css'
import { type Block, type Inline, parseMarkdown } from './parse.ts'

const hostOf = (href: string): string => {
  try {
    return new URL(href).host
  } catch {
    return ''
  }
}

const textOf = (nodes: readonly Inline[]): string => nodes.map((node) => ('text' in node ? node.text : '')).join('')

/** Beside a label that is not the address itself stands the host that it leads to. */
const Anchor = ({ href, children }: Extract<Inline, { type: 'link' }>) => {
  const host = hostOf(href)
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer">
        <Line nodes={children} />
      </a>
      {host !== '' && textOf(children) !== href && (
        <span class="soft">
          {' ('}
          <Untrusted text={host} />)
        </span>
      )}
    </>
  )
}

const Part = ({ node }: { readonly node: Inline }) => {
  switch (node.type) {
    case 'text':
      return <Untrusted text={node.text} />
    case 'code':
      return (
        <code>
          <Untrusted text={node.text} />
        </code>
      )
    case 'strong':
      return (
        <strong>
          <Line nodes={node.children} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <Line nodes={node.children} />
        </em>
      )
    case 'deleted':
      return (
        <del>
          <Line nodes={node.children} />
        </del>
      )
    case 'link':
      return <Anchor {...node} />
    case 'break':
      return <br />
  }
}

const Line = ({ nodes }: { readonly nodes: readonly Inline[] }) => (
  <>
    {nodes.map((node, place) => (
      <Part key={place} node={node} />
    ))}
  </>
)

const Table = ({ head, rows }: Extract<Block, { type: 'table' }>) => (
  <div class="scroll">
    <table>
      <thead>
        <tr>
          {head.map((cell, place) => (
            <th key={place} scope="col">
              <Line nodes={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={place}>
            {row.map((cell, column) => (
              <td key={column}>
                <Line nodes={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Items = ({ start, items }: Extract<Block, { type: 'list' }>) => {
  const children: ComponentChildren = items.map((blocks, place) => (
    <li key={place}>
      <Blocks blocks={blocks} />
    </li>
  ))
  return start === undefined ? <ul>{children}</ul> : <ol start={start}>{children}</ol>
}

const One = ({ block }: { readonly block: Block }) => {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Line nodes={block.children} />
        </p>
      )
    case 'heading':
      // No heading of the page: a message is not a part of its outline.
      return (
        <p class={`md-heading level-${block.level}`}>
          <Line nodes={block.children} />
        </p>
      )
    case 'code':
      return (
        <pre tabIndex={0} data-language={block.language === '' ? undefined : block.language}>
          <Untrusted text={block.text} />
        </pre>
      )
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.children} />
        </blockquote>
      )
    case 'list':
      return <Items {...block} />
    case 'table':
      return <Table {...block} />
    case 'rule':
      return <hr />
  }
}

const Blocks = ({ blocks }: { readonly blocks: readonly Block[] }) => (
  <>
    {blocks.map((block, place) => (
      <One key={place} block={block} />
    ))}
  </>
)

export const Markdown = ({ text }: { readonly text: string }) => {
  const blocks = useMemo(() => parseMarkdown(text), [text])
  return (
    <div class="md">
      <Blocks blocks={blocks} />
    </div>
  )
}
