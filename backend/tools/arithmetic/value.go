package arithmetic

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

const (
	maxBits     = 1 << 15 // of a numerator or denominator: near 10,000 digits
	maxExponent = 5000    // of a number as it is written, or as a root or power gives it
	maxFactor   = 1000    // whose factorial is worked out
	precision   = 40      // digits of what cannot be exact
	shown       = 15      // digits of such a result: what is beyond may be noise
	maxDigits   = 400     // of a whole number that is shown in full
	maxDecimals = 30      // of a fraction that is shown in full
)

var (
	errDivision = errors.New("division by zero has no result")
	errTooLarge = errors.New("the result is too large to work out")
	errNegative = errors.New("the root of a negative number is no real number")
	errFactor   = fmt.Errorf("a factorial is worked out of whole numbers from 0 to %d", maxFactor)
)

// number is a fraction. Rough marks one that stands for a number that is none.
type number struct {
	*big.Rat
	rough bool
}

func whole(n int64) number { return number{Rat: big.NewRat(n, 1)} }

// bounded refuses a number that has grown too large to go on with.
func (n number) bounded() (number, error) {
	if n.Num().BitLen() > maxBits || n.Denom().BitLen() > maxBits {
		return number{}, errTooLarge
	}
	return n, nil
}

func (s *sum) value() (number, error) {
	total, err := s.First.value()
	for _, term := range s.Rest {
		if err != nil {
			return number{}, err
		}
		var next number
		if next, err = term.Value.value(); err != nil {
			return number{}, err
		}
		if term.Value.isPercent() { // 80 + 15% is what a shop means by it
			next = mul(total, next)
		}
		if term.Op == "-" {
			next = number{new(big.Rat).Neg(next.Rat), next.rough}
		}
		total, err = add(total, next).bounded()
	}
	return total, err
}

// isPercent tells whether a product is nothing but a percentage.
func (p *product) isPercent() bool {
	only := p.First
	marks := only.Value.Base.Marks
	return len(p.Rest) == 0 && len(only.Signs) == 0 && only.Value.Exponent == nil && len(marks) == 1 && marks[0] == percent
}

func (p *product) value() (number, error) {
	total, err := p.First.value()
	for _, factor := range p.Rest {
		if err != nil {
			return number{}, err
		}
		var next number
		if next, err = factor.Value.value(); err != nil {
			return number{}, err
		}
		switch factor.Op {
		case "/", "%", "mod":
			if next.Sign() == 0 {
				return number{}, errDivision
			}
			quotient := number{new(big.Rat).Quo(total.Rat, next.Rat), total.rough || next.rough}
			if factor.Op == "/" {
				total = quotient
				break
			}
			// The remainder has the sign of what is divided by, as in Python.
			times := number{new(big.Rat).SetInt(floor(quotient.Rat)), false}
			total = number{new(big.Rat).Sub(total.Rat, mul(times, next).Rat), quotient.rough}
		default:
			total = mul(total, next)
		}
		total, err = total.bounded()
	}
	return total, err
}

func (u *unary) value() (number, error) {
	n, err := u.Value.value()
	if err != nil {
		return number{}, err
	}
	for _, sign := range u.Signs {
		if sign == "-" {
			n = number{new(big.Rat).Neg(n.Rat), n.rough}
		}
	}
	return n, nil
}

func (p *power) value() (number, error) {
	base, err := p.Base.value()
	if err != nil || p.Exponent == nil {
		return base, err
	}
	exponent, err := p.Exponent.value()
	if err != nil {
		return number{}, err
	}
	return pow(base, exponent)
}

func (p *postfix) value() (number, error) {
	n, err := p.Value.value()
	for _, mark := range p.Marks {
		if err != nil {
			return number{}, err
		}
		if mark == percent {
			n = number{new(big.Rat).Mul(n.Rat, big.NewRat(1, 100)), n.rough}
			continue
		}
		if !n.IsInt() || n.Sign() < 0 || n.Cmp(big.NewRat(maxFactor, 1)) > 0 {
			return number{}, errFactor
		}
		n = number{new(big.Rat).SetInt(new(big.Int).MulRange(1, n.Num().Int64())), n.rough}
	}
	return n, err
}

func (a *atom) value() (number, error) {
	switch {
	case a.Number != "":
		return parse(a.Number)
	case a.Constant != "":
		digits := map[string]string{
			"pi": "3.1415926535897932384626433832795028841972",
			"e":  "2.7182818284590452353602874713526624977572",
		}[a.Constant]
		n, err := parse(digits)
		n.rough = true
		return n, err
	case a.Function != "":
		argument, err := a.Argument.value()
		if err != nil {
			return number{}, err
		}
		return apply(a.Function, argument)
	}
	return a.Inner.value()
}

// parse reads a number. Its exponent is bounded before it is worked out.
func parse(text string) (number, error) {
	text = strings.ReplaceAll(strings.ToLower(text), ",", "")
	if _, exponent, found := strings.Cut(text, "e"); found {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return number{}, errTooLarge
		}
	}
	rat, ok := new(big.Rat).SetString(text)
	if !ok {
		return number{}, fmt.Errorf("%q is not a number", text)
	}
	return number{Rat: rat}.bounded()
}

func add(a, b number) number {
	total := number{new(big.Rat).Add(a.Rat, b.Rat), a.rough || b.rough}
	if total.rough && total.Sign() != 0 {
		// What is left of two nearly equal rough numbers is noise.
		noise := new(big.Rat).Mul(new(big.Rat).Abs(a.Rat), new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(precision-8), nil)))
		if new(big.Rat).Abs(total.Rat).Cmp(noise) < 0 {
			return whole(0)
		}
	}
	return total
}

func mul(a, b number) number {
	return number{new(big.Rat).Mul(a.Rat, b.Rat), a.rough || b.rough}
}

func floor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) } // Euclidean; the denominator is positive

// String writes the number without noise: in full where that is short, else rounded.
func (n number) String() string {
	if !n.rough {
		if n.IsInt() {
			if text := n.Num().String(); len(text) <= maxDigits {
				return text
			}
		} else if decimals, exact := n.FloatPrec(); exact && decimals <= maxDecimals {
			return n.FloatString(decimals)
		}
	}
	rounded, err := decimal(n.Rat, shown)
	if err != nil {
		return n.FloatString(shown)
	}
	rounded.Reduce(rounded)
	if size := rounded.NumDigits() + int64(rounded.Exponent); size > -6 && size <= 21 {
		return rounded.Text('f')
	}
	return rounded.Text('e')
}

// decimal rounds a fraction to so many digits.
func decimal(r *big.Rat, digits uint32) (*apd.Decimal, error) {
	quotient := new(apd.Decimal)
	over := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(r.Num()), 0)
	under := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(r.Denom()), 0)
	_, err := apd.BaseContext.WithPrecision(digits).Quo(quotient, over, under)
	return quotient, err
}
