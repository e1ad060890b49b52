#lang racket/base
;;; A minimal bot for Planning in Racket (8 or newer).
;;;
;;; A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
;;; then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

(require racket/list racket/match racket/string)

(define strongest #f)   ; the value that no other beats
(define players 0)
(define me 0)
(define hand '())       ; my cards, such as "TD": the value, then the suit
(define trick '())      ; the cards on the table

(define (last-char word) (string-ref word (sub1 (string-length word))))

(define (choose)
  (define (follows? card) (and (pair? trick) (char=? (last-char card) (last-char (first trick)))))
  (or (findf follows? hand) (and (pair? hand) (first hand))))

;; What stands after "=" in the reply; #f refuses.
(define (obey words)
  (match words
    [(list "set_deck" values _) (set! strongest (last-char values)) ""]
    [(list "set_players" (app string->number (? integer? n)) (app string->number (? integer? i)))
     (set! players n)
     (set! me i)
     ""]
    [(list "set_cards" number cards ...)
     (and (eqv? (string->number number) (length cards))
          (begin (set! hand cards) (set! trick '()) ""))]
    [(list "gen_declare") (number->string (count (lambda (card) (eqv? (string-ref card 0) strongest)) hand))]
    [(list "gen_move") (choose)]
    [(list "play" (app string->number (? integer? seat)) card)
     (when (= seat me) (set! hand (remove card hand)))
     (set! trick (append trick (list card)))
     (when (>= (length trick) players) (set! trick '()))
     ""]
    [(list (or "set_game" "time_left" "declare" "quit") _ ...) ""]
    [_ #f]))

(for ([line (in-lines)])
  (define words (string-split line))
  (unless (null? words)   ; a blank line has no reply
    (define text (obey words))
    (write-string (cond [(not text) "? cannot do that"] [(string=? text "") "="] [else (string-append "= " text)]))
    (write-string "\n\n")
    (flush-output)        ; without this the reply waits in a buffer
    (when (equal? (first words) "quit") (exit))))
