// Times jMotif on a series and prints what it found; used by symbolic.py.
// Arguments: file, window, word length, alphabet size, numerosity, algorithm, runs.

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import net.seninp.gi.logic.GrammarRuleRecord;
import net.seninp.gi.logic.GrammarRules;
import net.seninp.gi.repair.RePairFactory;
import net.seninp.gi.repair.RePairGrammar;
import net.seninp.gi.sequitur.SequiturFactory;
import net.seninp.jmotif.sax.NumerosityReductionStrategy;
import net.seninp.jmotif.sax.SAXProcessor;
import net.seninp.jmotif.sax.alphabet.NormalAlphabet;
import net.seninp.jmotif.sax.datastructure.SAXRecords;

public class JMotifDriver {
  public static void main(String[] args) throws Exception {
    double[] x = Files.lines(Path.of(args[0])).mapToDouble(Double::parseDouble).toArray();
    int window = Integer.parseInt(args[1]);
    int letters = Integer.parseInt(args[2]);
    double[] cuts = new NormalAlphabet().getCuts(Integer.parseInt(args[3]));
    var numerosity = NumerosityReductionStrategy.fromString(args[4]);
    int runs = Integer.parseInt(args[6]);
    for (int run = 1; run <= runs; run++) {
      long begin = System.nanoTime();
      SAXRecords words =
          new SAXProcessor().ts2saxViaWindow(x, window, letters, cuts, numerosity, 0.01);
      words.buildIndex();
      String text = words.getSAXString(" ");
      GrammarRules rules = grammar(args[5], words, text, x, window, letters);
      System.out.println("seconds\t" + (System.nanoTime() - begin) / 1e9);
      if (run == runs) {
        System.out.println("words\t" + text);
        var starts = new StringBuilder();
        new TreeSet<>(words.getIndexes()).forEach(start -> starts.append(start).append(' '));
        System.out.println("starts\t" + starts);
        for (GrammarRuleRecord rule : rules) {
          System.out.println("rule\t" + rule.getRuleName() + "\t" + rule.getRuleString());
        }
      }
    }
  }

  static GrammarRules grammar(
      String algorithm, SAXRecords words, String text, double[] x, int window, int letters)
      throws Exception {
    if (algorithm.equals("sequitur")) {
      GrammarRules rules = SequiturFactory.runSequitur(text).toGrammarRulesData();
      SequiturFactory.updateRuleIntervals(rules, words, true, x, window, letters);
      return rules;
    }
    RePairGrammar grammar = RePairFactory.buildGrammar(words);
    grammar.expandRules();
    grammar.buildIntervals(words, x, window);
    return grammar.toGrammarRulesData();
  }
}
