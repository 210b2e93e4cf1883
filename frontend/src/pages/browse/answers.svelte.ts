// The values that a person has entered in the fields of questions.

import type { Question } from "./types";

export class Answers {
  /** The texts of the fields that were changed, by question. */
  answers = $state<Record<string, string[]>>({});

  /** The texts to show in the fields of a question: those that were entered, or the default. */
  texts(question: Question): string[] {
    return this.answers[question.name] ?? (question.default ? [question.default] : []);
  }

  set(question: Question, texts: string[]): void {
    this.answers = { ...this.answers, [question.name]: texts };
  }

  /** forget drops the entered values, which may contain secrets. */
  forget(): void {
    this.answers = {};
  }
}
