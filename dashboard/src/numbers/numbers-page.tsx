/** What the numbers mean, and what they do not. */
import { Title } from '@mantine/core'
import { useEffect } from 'react'
import { text } from '../text/text.ts'
import './numbers-page.css'

const { title, sections } = text.numbers

export default function NumbersPage() {
  useEffect(() => {
    const asked = document.getElementById(window.location.hash.slice(1))
    asked?.scrollIntoView()
    asked?.focus()
  }, [])
  return (
    <article className="reading">
      <Title order={1}>{title}</Title>
      {sections.map(section => (
        <section key={section.id} id={section.id} tabIndex={-1}>
          <h2>{section.title}</h2>
          {section.text.map(paragraph => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </section>
      ))}
    </article>
  )
}
